// Totals over a large query set take seconds: the page stands already, they are fetched and put in their place, and a
// line tells for how long they have been worked at. Without this file the link in that line leads to them.
const line = document.querySelector("#totals .measuring");

const measure = async (link) => {
    const started = Date.now();
    const text = line.firstChild.textContent;
    const bar = document.createElement("progress");
    const showSeconds = () => line.replaceChildren(bar, ` Measuring for ${Math.round((Date.now() - started) / 1000)} s: ${text}`);
    showSeconds();
    const ticking = setInterval(showSeconds, 1000);
    try {
        const answer = await fetch(link.href);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const totals = page.querySelector("#totals");
        if (!answer.ok || !totals) {
            throw new Error(`the server answered ${answer.status}`);
        }
        document.querySelector("#totals").replaceWith(totals);
    } catch (error) {
        line.replaceChildren(`Nothing was measured: ${error.message}. `, link);
    } finally {
        clearInterval(ticking);
    }
};

if (line) {
    measure(line.querySelector("a"));
}
