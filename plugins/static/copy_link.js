// A link to the view copies its address.
for (const link of document.querySelectorAll("a.copies")) link.addEventListener("click", async (event) => {
    if (!navigator.clipboard) return;  // then the link opens the view, and its address is in the bar
    event.preventDefault();
    const said = link.parentElement.querySelector(".copied");
    try {
        await navigator.clipboard.writeText(link.href);
        said.textContent = "copied";
    } catch {
        location.href = link.href;
    }
});
