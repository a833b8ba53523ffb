// Conveniences on pages that all work without them: shortcuts, dialogs, copying, theme, loading errors.
(() => {
  "use strict";
  const toast = document.getElementById("toast");
  let toastTimer = 0;

  function say(text) {
    if (!toast || !text) return;
    const line = document.createElement("p");
    line.textContent = text;
    toast.replaceChildren(line);
    window.clearTimeout(toastTimer);
    toastTimer = window.setTimeout(() => toast.replaceChildren(), 6000);
  }

  // ---- theme: system → dark → light → system
  const root = document.documentElement;
  function nextTheme() {
    const order = ["", "dark", "light"];
    const next = order[(order.indexOf(root.dataset.theme || "") + 1) % order.length];
    if (next) root.dataset.theme = next;
    else delete root.dataset.theme;
    try {
      if (next) window.localStorage.setItem("theme", next);
      else window.localStorage.removeItem("theme");
    } catch {
      // Holds for this page only.
    }
    return next;
  }

  // ---- copying
  async function copy(button) {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      const area = document.createElement("textarea");
      area.value = button.dataset.copy;
      area.className = "visually-hidden";
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    say(toast?.dataset.copied);
  }

  // ---- dialogs
  function openDialog(id) {
    const dialog = document.getElementById(id);
    if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
  }

  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const found = (selector) => target?.closest(selector);
    const copyButton = found("[data-copy]");
    if (copyButton) copy(copyButton);
    const opener = found("[data-dialog]");
    if (opener) openDialog(opener.dataset.dialog);
    if (found("[data-close]")) found("dialog")?.close();
    const themeButton = found("[data-theme-switch]");
    if (themeButton) say(themeButton.dataset[`say${{ "": "System", dark: "Dark", light: "Light" }[nextTheme()]}`]);
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(target)) menu.open = false;
    }
  });

  // ---- shortcuts
  const help = document.getElementById("shortcuts");
  const keyed = () => [...document.querySelectorAll("[data-key]")].filter((element) => element.offsetParent !== null);

  function fillHelp() {
    const list = help?.querySelector("[data-page-keys]");
    if (!list) return;
    list.replaceChildren();
    for (const element of keyed()) {
      const term = document.createElement("dt");
      const key = document.createElement("kbd");
      key.textContent = element.dataset.key;
      term.append(key);
      const text = document.createElement("dd");
      text.textContent = element.dataset.keyLabel || element.textContent.trim();
      list.append(term, text);
    }
    const title = help.querySelector("[data-page-keys-title]");
    if (title) title.hidden = !list.children.length;
    list.hidden = !list.children.length;
  }

  function rows() {
    const list = document.querySelector("[data-nav-list]");
    return list ? [...list.children].map((row) => row.querySelector("a")).filter(Boolean) : [];
  }

  function moveRow(step) {
    const links = rows();
    if (!links.length) return false;
    const here = links.findIndex((link) => link.closest("[data-nav-list] > *").contains(document.activeElement));
    const next = here < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, here + step));
    links[next].focus();
    return true;
  }

  let pending = "";
  let pendingTimer = 0;
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const open = document.activeElement?.closest("details.menu[open], details.confirm[open]");
      if (open) {
        open.open = false;
        open.querySelector("summary")?.focus();
      }
      return;
    }
    const active = document.activeElement;
    const typing = active instanceof HTMLElement && (active.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(active.tagName));
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (typing && !["checkbox", "radio"].includes(active.type)) return;
    if (document.querySelector("dialog[open]")) return;
    const key = event.key;
    if (pending === "g") {
      pending = "";
      const link = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
      if (link) {
        event.preventDefault();
        link.click();
      }
      return;
    }
    if (key === "g") {
      pending = "g";
      window.clearTimeout(pendingTimer);
      pendingTimer = window.setTimeout(() => { pending = ""; }, 1200);
    } else if (key === "?") {
      event.preventDefault();
      fillHelp();
      openDialog("shortcuts");
    } else if (key === "/") {
      const search = document.querySelector("[data-search]");
      if (search) {
        event.preventDefault();
        search.focus();
        search.select?.();
      }
    } else if (key === "j" || key === "k") {
      if (moveRow(key === "j" ? 1 : -1)) event.preventDefault();
    } else {
      const element = keyed().find((candidate) => candidate.dataset.key === key);
      if (element) {
        event.preventDefault();
        element.click();
      }
    }
  });
  document.querySelectorAll('[data-dialog="shortcuts"]').forEach((button) => button.addEventListener("click", fillHelp));

  // ---- loading in place
  document.body.addEventListener("htmx:responseError", () => say(toast?.dataset.failed));
  document.body.addEventListener("htmx:sendError", () => say(toast?.dataset.offline));
})();
