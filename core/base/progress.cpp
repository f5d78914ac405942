#include "core/base/progress.h"

namespace cnsched {

void Progress::begin(Step step, std::size_t all) {
  const std::lock_guard lock(mutex_);
  step_ = step;
  all_ = all;
  done_ = 0;
  if (step == Step::checking) findings_ = 0;
}

ProgressSample Progress::sample() const {
  const std::lock_guard lock(mutex_);
  return {step_, done_, all_, findings_, again_};
}

Progress& progress() {
  static constinit Progress instance;
  return instance;
}

}  // namespace cnsched
