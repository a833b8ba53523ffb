// Runs before the first paint, so that a chosen theme never flashes the other one.
(() => {
  "use strict";
  try {
    const theme = window.localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's choice then holds.
  }
})();
