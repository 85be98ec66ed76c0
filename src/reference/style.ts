/** How the page looks: in the colours that the reader's system asks for, on any width. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2024, #e6e8eb);
  --quiet: light-dark(#5a636d, #a0a9b3);
  --paper: light-dark(#ffffff, #14171a);
  --panel: light-dark(#f4f6f8, #1d2126);
  --line: light-dark(#d8dde3, #343a42);
  --accent: light-dark(#0b57b0, #7db5ff);
  --warn: light-dark(#a3320b, #ffa27a);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; }
a { color: var(--accent); }
a:focus-visible, input:focus-visible, summary:focus-visible, pre:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code, pre { font: 0.9em/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
code { overflow-wrap: anywhere; }
pre { margin: 0.75rem 0; padding: 0.75rem 1rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 0.75rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 0.5rem; }
h3 { font-size: 1.05rem; margin: 0 0 0.25rem; overflow-wrap: anywhere; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { font-size: 0.8rem; letter-spacing: 0.06em; text-transform: uppercase; color: var(--quiet); margin: 1.25rem 0 0.25rem; }
p { margin: 0.4rem 0; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; padding: 0.5rem 1rem; background: var(--paper); z-index: 2; }
.layout { display: grid; grid-template-columns: 19rem minmax(0, 54rem); gap: 0 3rem; }
aside { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 2rem 1.5rem; background: var(--panel); border-right: 1px solid var(--line); }
aside label { display: block; font-size: 0.85rem; color: var(--quiet); }
aside input { width: 100%; font: inherit; padding: 0.45rem 0.6rem; margin-top: 0.25rem; color: var(--ink); background: var(--paper); border: 1px solid var(--quiet); border-radius: 6px; }
#found { min-height: 1.5em; font-size: 0.85rem; color: var(--quiet); }
nav ul { list-style: none; margin: 0 0 0.75rem; padding: 0; }
nav li a { display: block; padding: 0.15rem 0; font-size: 0.9rem; text-decoration: none; overflow-wrap: anywhere; }
nav li a:hover { text-decoration: underline; }
nav .title { font-weight: 600; margin: 0.75rem 0 0.15rem; }
main { padding: 1.5rem 1.5rem 6rem 0; }
.operation { padding: 1.5rem 0; border-top: 1px solid var(--line); }
.operation:target h3 a { color: var(--accent); }
.verb { color: var(--quiet); font-weight: 400; }
.scope { font-size: 0.9rem; color: var(--quiet); }
.fields { margin: 0; padding: 0; list-style: none; }
.fields > li { padding: 0.5rem 0; border-top: 1px solid var(--line); }
.fields .name { font-weight: 600; }
.type, .words { color: var(--quiet); font-size: 0.9rem; }
.required { color: var(--warn); font-size: 0.85rem; font-weight: 600; }
.words { margin: 0.25rem 0 0; padding-left: 1.25rem; }
summary { cursor: pointer; padding: 0.25rem 0; font-weight: 600; font-size: 0.95rem; }
.statuses { font-size: 0.9rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-top: 1px solid var(--line); }
.scroll { overflow-x: auto; }
@media (max-width: 56rem) {
  .layout { display: block; }
  aside { position: static; height: auto; padding: 1rem; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem 1rem 4rem; }
  nav li a { padding: 0.5rem 0; }
}
@media print { aside { display: none; } .layout { display: block; } }
`;
