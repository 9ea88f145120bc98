// The theme and the density that a reader chose, kept in this browser; without a choice it is as the system says.
// No module: it runs before the page is drawn.
(() => {
    const root = document.documentElement;
    const DARK = "(prefers-color-scheme: dark)";
    const CHOICES = { theme: [["", "As the system"], ["light", "Light"], ["dark", "Dark"]], density: [["", "Roomy"], ["compact", "Compact"]] };
    const dark = new Set();

    const chosen = name => {
        try { return localStorage.getItem(`memory-${name}`) ?? ""; } catch { return ""; }
    };

    function choose(name, value) {
        try {
            if (value) localStorage.setItem(`memory-${name}`, value);
            else localStorage.removeItem(`memory-${name}`);
        } catch { /* a browser that keeps nothing shows it as the system says */ }
        apply();
    }

    // Of pages that are opened from a folder nobody may read the style sheets.
    const rulesOf = sheet => {
        try { return sheet.cssRules; } catch { return []; }
    };

    // The style sheets have their dark rules under one condition: a choice sets that, so no rule stands there twice.
    function apply() {
        const theme = chosen("theme");
        for (const sheet of document.styleSheets) {
            for (const rule of rulesOf(sheet)) {
                if (rule instanceof CSSMediaRule && rule.media.mediaText === DARK) dark.add(rule);
            }
        }
        for (const rule of dark) rule.media.mediaText = { dark: "all", light: "not all" }[theme] ?? DARK;
        root.style.colorScheme = theme;
        root.classList.toggle("compact", chosen("density") === "compact");
        for (const button of document.querySelectorAll(".look button")) {
            button.setAttribute("aria-pressed", String(chosen(button.dataset.choice) === button.value));
        }
    }

    function offer(place) {
        for (const [name, values] of Object.entries(CHOICES)) {
            if (name === "theme" && !dark.size) continue;
            const group = document.createElement("div");
            group.className = "look";
            group.setAttribute("role", "group");
            group.setAttribute("aria-label", name);
            for (const [value, label] of values) {
                const button = Object.assign(document.createElement("button"), { type: "button", value, textContent: label });
                button.dataset.choice = name;
                button.addEventListener("click", () => choose(name, value));
                group.append(button);
            }
            place.append(group);
        }
        place.hidden = false;
    }

    apply();
    addEventListener("storage", apply);
    document.addEventListener("DOMContentLoaded", () => {
        apply();
        document.querySelectorAll(".nav-menu-inner, [data-look]").forEach(offer);
        apply();
    });
})();
