const shown = document.getElementById("shown");
if (shown) {
  fetch(shown.dataset.to, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ quote_uuid: shown.dataset.quote }),
  }).catch(() => {});
}
