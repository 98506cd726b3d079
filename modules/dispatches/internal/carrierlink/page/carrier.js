const shown = document.getElementById("shown");
if (shown) fetch(shown.dataset.to, { method: "POST" }).catch(() => {});
