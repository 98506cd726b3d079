// Shows the vendor's card fields, and sends the token that they make. The card itself never comes here.
const form = document.getElementById("pay"), button = document.getElementById("send"), problem = document.getElementById("problem");

function complain(text) {
  problem.textContent = text;
  problem.hidden = text === "";
}

async function begin() {
  let token;
  try {
    token = await cardFields(document.getElementById("card"), { ...form.dataset });
    button.disabled = false;
  } catch {
    complain("The card fields could not be loaded. Please reload the page, or try again later.");
    return;
  }
  form.addEventListener("submit", async event => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    complain("");
    try {
      document.getElementById("token").value = await token();
    } catch (failure) {
      complain(failure.message || "The card was not accepted. Please check it, or use another one.");
      button.disabled = false;
      return;
    }
    form.submit();
  });
}

begin();
