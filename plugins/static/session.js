// On a session's page: j for the next entry, k for the one before; the entry that a link named comes into view.
"use strict";
(() => {
  const entries = [...document.querySelectorAll(".said")];
  const hint = document.getElementById("session-keys");
  if (hint && entries.length) hint.hidden = false;
  document.querySelector(".said.named")?.scrollIntoView({ block: "center" });

  const step = (by) => {
    const here = entries.indexOf(document.activeElement?.closest?.(".said") ?? null);
    const top = here < 0 ? entries.findIndex((entry) => entry.getBoundingClientRect().bottom > 0) : here;
    const next = entries[here < 0 && by > 0 ? top : top + by];
    if (!next) return;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  };

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else return;
    event.preventDefault();
  });
})();
