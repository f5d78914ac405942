#include "cli/output/simulation_html.h"

namespace cnsched::cli {

// In both modes, text has a contrast of at least 4.5 with its background, and the outline one of at
// least 3 (WCAG AA).
// The panel is fixed at the bottom of the window, where it is never clipped, and ignores clicks.
constinit const std::string_view kSimulationStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #fff; --text: #1f2328; --muted: #59636e; --line: #d1d9e0; --panel: #f6f8fa; --mark: #eef4ff;
  --ok: #1a7f37; --on-ok: #fff; --no: #fdeceb; --on-no: #a40e26; --maybe: #fff1b8; --on-maybe: #7a4b00;
  --none: #e7eaee; --on-none: #454c54; --bad: #b42318;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1117; --text: #e6edf3; --muted: #9da7b3; --line: #30363d; --panel: #161b22; --mark: #17233a;
    --ok: #1f7a33; --on-ok: #fff; --no: #341a1d; --on-no: #ff9a92; --maybe: #4a3a05; --on-maybe: #f5d76e;
    --none: #2a3038; --on-none: #b4bdc7; --bad: #b3261e;
  }
}
* { box-sizing: border-box; }
html { scroll-padding: 12rem 0 10rem 24rem; }
body {
  margin: 0; padding: 1.2rem 1.2rem 9rem; width: max-content; min-width: 100%;
  background: var(--page); color: var(--text); font: 15px/1.45 system-ui, sans-serif;
}
header, h2, main > p, footer, caption { position: sticky; left: 1.2rem; width: calc(100vw - 3.4rem); text-align: left; }
h1 { font-size: 1.5rem; margin: 0 0 .6rem; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
ul { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem .9rem; margin: 0 0 .8rem; padding: 0; }
small { font-size: .8rem; color: var(--muted); font-weight: normal; }
em { font-style: normal; }
b, em, small, span { unicode-bidi: isolate; }
footer, caption, .legend { color: var(--muted); font-size: .85rem; }
footer { margin-top: 1rem; }
caption { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }

.o { background: var(--ok); color: var(--on-ok); }
.x { background: var(--no); color: var(--on-no); }
.u { background: var(--maybe); color: var(--on-maybe); }
.n { background: var(--none); color: var(--on-none); }
.p { background: var(--maybe); color: var(--on-maybe); }
.o::before { content: "\2713"; content: "\2713" / "fits "; }
.x::before { content: "\00d7"; content: "\00d7" / "does not fit "; }
.u::before { content: "?"; content: "?" / "unknown "; }
.n::before { content: "\2013"; content: "\2013" / "no pod "; }
.p::before { content: "\2191"; content: "\2191" / "preempts "; }
em.o::before { content: "\2713" / ""; }
em.x::before { content: "\00d7" / ""; }
em.u::before { content: "?" / ""; }
em.n::before { content: "\2013" / ""; }
em.p::before { content: "\2191" / ""; }
.o::before, .x::before, .u::before, .n::before, .p::before { font-weight: bold; }
em.o, em.x, em.u, em.n, em.p { border-radius: 1em; padding: .1em .6em; white-space: nowrap; }
em.o::before, em.x::before, em.u::before, em.n::before, em.p::before { margin-right: .35em; }
.totals .x, tbody th .x { background: var(--bad); color: #fff; }
.totals em { font-size: 1rem; }
.legend em { padding: .1em .45em; border-radius: .3em; }
.legend em::before { margin: 0 !important; }

table { border-collapse: separate; border-spacing: 0; }
th, td { border: 1px solid var(--page); }
thead th { position: sticky; top: 0; z-index: 2; background: var(--page); font-weight: 600; vertical-align: bottom; }
thead .corner { left: 0; z-index: 3; text-align: left; color: var(--muted); font-size: .8rem; font-weight: normal; padding: .3rem .5rem; }
tbody th {
  position: sticky; left: 0; z-index: 1; width: 24rem; max-width: 45vw; padding: .35rem .5rem;
  background: var(--page); text-align: left; font-weight: normal; border-bottom-color: var(--line);
  overflow-wrap: anywhere;
}
tbody th > span { display: flex; gap: .1rem .6rem; justify-content: space-between; align-items: baseline; flex-wrap: wrap; }
tbody th > span small { color: inherit; font-size: 1em; }
tbody th em { font-size: .8rem; }
.place { display: block; line-height: 1.35; }
.dense .place { max-width: 23rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
tbody tr:hover > th { background: var(--mark); }
th:focus { z-index: 5; }
th:hover { z-index: 6; }
td { text-align: center; cursor: default; }
td.n { text-align: left; padding: .35rem .8rem; }
.roomy { max-width: calc(100vw - 2.4rem); }
.roomy td:not(.n) { min-width: 8rem; max-width: 18rem; padding: .35rem .6rem; text-align: left; vertical-align: middle; }
.roomy td > em { font-size: .85rem; margin-left: .4em; overflow-wrap: anywhere; }
.roomy thead th { padding: .3rem .6rem; text-align: left; }
.dense td:not(.n) { min-width: 1.7rem; }
.dense thead th:not(.corner) { padding: .4rem 0; width: 1.7rem; }
.dense thead th > span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; font-size: .8rem; line-height: 1.2; margin: 0 auto; display: block; }
.dense thead th > small { display: block; text-align: center; font-size: .7rem; line-height: 1.2; }
.models td { text-align: left; padding: .35rem .6rem; border-bottom-color: var(--line); max-width: calc(100vw - 28rem); }
.models td em { font-size: .85rem; }
.models ul { margin: 0; gap: .3rem .5rem; }
.models thead th { padding: .3rem .6rem; text-align: left; }
.event td { text-align: left; padding: 0 .5rem .5rem; border-bottom-color: var(--line); }
.event span { white-space: pre-line; position: sticky; left: .5rem; display: block; width: max-content; max-width: calc(100vw - 4rem); font-size: .85rem; color: var(--on-no); overflow-wrap: anywhere; }

i { display: none; font-style: normal; }
.dock, :hover > i, :focus > i {
  display: block;
  position: fixed; left: 0; right: 0; bottom: 0; min-height: 6.5rem; max-height: 50vh; overflow: hidden;
  margin: 0; padding: .7rem 1.2rem; background: var(--panel); color: var(--text); border-top: 1px solid var(--line);
  white-space: pre-line; overflow-wrap: anywhere; text-align: left; font: 14px/1.5 system-ui, sans-serif; pointer-events: none;
}
.dock { color: var(--muted); z-index: 4; }
:focus > i { z-index: 5; }
:hover > i { z-index: 6; }
[tabindex]:hover, [tabindex]:focus { outline: 3px solid var(--text); outline-offset: -3px; }
.event .help { color: var(--muted); }
@media (max-width: 800px) {
  tbody th { width: 14rem; }
  .dense tbody th { width: 17.5rem; }
  .dense .place { max-width: 16rem; }
  .roomy td > em { font-size: .78rem; }
  html { scroll-padding-left: 14rem; }
}
@media print { .dock, i { display: none; } th, td, em { print-color-adjust: exact; } }
)css";

}  // namespace cnsched::cli
