async function cardFields(element, { application, location, amount, currency }) {
  const card = await Square.payments(application, location).card();
  await card.attach(element);
  return async () => {
    const made = await card.tokenize({
      amount, currencyCode: currency, intent: "CHARGE", customerInitiated: true, sellerKeyedIn: false, billingContact: {},
    });
    if (made.status === "OK") return made.token;
    throw new Error(made.errors?.[0]?.message ?? "");
  };
}
