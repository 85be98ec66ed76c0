/**
 * What the page runs: the search. Without it everything is shown, and the field to type into is not. It knows nothing of
 * the document: what is searched is the text of the sections.
 */
export const SCRIPT = `"use strict";
const box = document.getElementById("search");
const said = document.getElementById("found");
const entries = [...document.querySelectorAll("main section.operation")].map((section) => ({
  section,
  link: document.querySelector('nav a[href="#' + section.id + '"]'),
  text: section.textContent.toLowerCase(),
}));
const groups = [...document.querySelectorAll("[data-group]")];
const show = (element, isShown) => { element.hidden = !isShown; };
function search() {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const { section, link, text } of entries) {
    const isFound = words.every((word) => text.includes(word));
    show(section, isFound);
    show(link.parentElement, isFound);
    if (isFound) count += 1;
  }
  for (const group of groups) show(group, group.querySelector(":scope > .operation:not([hidden]), :scope > ul > li:not([hidden])") !== null);
  said.textContent = words.length === 0 ? "" : count === 1 ? "1 operation" : count + " operations";
}
box.parentElement.hidden = false;
// Beside the reference there is room for the contents; above it, on a phone, they would push it out of sight.
document.getElementById("contents").open = matchMedia("(min-width: 56.01rem)").matches;
box.addEventListener("input", search);
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target === box) {
    box.value = "";
    search();
  } else if (event.key === "Enter" && event.target === box) {
    entries.find(({ section }) => !section.hidden)?.link.click();
  } else if (event.key === "/" && event.target !== box && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    box.focus();
  }
});
// What a browser kept in the field over a reload.
search();
`;
