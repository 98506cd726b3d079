// The page looks for news every two minutes while somebody looks at it.
setInterval(() => { if (document.visibilityState === "visible") location.reload(); }, 120000);
