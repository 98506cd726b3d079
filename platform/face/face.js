const face = document.getElementById("face");
if (face?.dataset.to) {
  fetch(face.dataset.to, { method: "POST", headers: { "Content-Type": "application/json" }, body: face.dataset.told }).catch(() => {});
}
if (face?.dataset.fresh) {
  setInterval(() => { if (document.visibilityState === "visible" && !document.activeElement?.form) location.reload(); }, 120000);
}
