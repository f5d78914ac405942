#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/lsp/requests.h"
#include "cli/lsp/session.h"
#include "cli/lsp/transport.h"

namespace cnsched::cli::lsp {

/// Serves one client according to the Language Server Protocol 3.17.
class Server {
 public:
  /// Messages for the client go to `out`.
  Server(Settings settings, std::ostream& out);

  /// Handles a message. A bug, which throws, fails only that request.
  void handle(const Incoming& incoming);
  /// Checks what has changed and reports it. Call it when no message waits, so that keystrokes in a
  /// row are checked once.
  void settle();

  /// Whether the process is to end, and with which code: 0 after `shutdown` and `exit`,
  /// otherwise 1.
  bool has_ended() const { return state_ == State::ended; }
  Exit exit() const { return was_shut_down_ ? Exit::clean : Exit::findings; }

 private:
  enum class State : std::uint8_t { uninitialized, running, shut_down, ended };
  /// The diagnostics of a file that the client has.
  struct Published {
    std::string result_id;      ///< identifies the diagnostics
    std::size_t signature = 0;  ///< see signature_of
    bool any = false;
  };

  void dispatch(const Json& message);
  Reply answer(const std::string& method, const Json& params);
  Reply answer_about_document(const DocumentRequest& request, const Json& params);
  void notice(const std::string& method, const Json& params);

  Reply initialize(const Json& params);
  void initialized();
  Reply document_diagnostics(const Json& params);
  Reply workspace_diagnostics(const Json& params);
  Reply run_command(const Json& params);
  void change_document(const Json& params);
  void change_folders(const Json& params);
  void change_settings(const Json& settings);
  void ask_for_settings();
  void take_result(const Json& message);

  bool needs_check() const { return has_changed_ || !edited_.empty(); }
  /// Checks what has changed.
  void refresh();
  void report_progress(const std::string& step, std::string& token);
  void report_progress(const std::string& token, const Json& value);
  void show_problems();
  /// Pushes the diagnostics of the files of which they differ, and of those that were edited.
  /// `same_texts`: of the other files, and none of them was read again.
  void publish(bool same_texts);
  bool has_note_in_edited(const Checker::File* file) const;
  void publish(const std::string& path, const Json& diagnostics);

  void send(const Json& message);
  void send_request(const std::string& method, Json params);
  void show(std::string_view method, int type, const std::string& text);
  Session session() const { return {checker_, documents_, client_, cancelled_}; }

  std::ostream& out_;
  Settings options_;  ///< of the command line
  Documents documents_;
  Checker checker_;
  ClientAbilities client_;
  Json settings_{};  ///< of the client
  std::vector<std::string> folders_;
  State state_ = State::uninitialized;
  bool was_shut_down_ = false;
  bool is_ready_ = false;                       ///< the client has sent `initialized`
  bool has_changed_ = true;                     ///< more than the texts of `edited_`
  std::set<std::string> edited_;                ///< paths of documents since the last check
  std::map<std::string, Published> published_;  ///< by path
  std::vector<std::string> problems_;           ///< that were shown
  std::map<std::uint64_t, std::string> asked_;  ///< methods of requests to the client
  std::uint64_t last_id_ = 0;
  const std::atomic<bool>* cancelled_ = nullptr;  ///< of the request that is answered
};

/// Serves a client until it ends the session. Returns the exit code.
Exit serve(const Settings& settings, std::istream& in, std::ostream& out);

}  // namespace cnsched::cli::lsp
