async function cardFields(element, { application, location }) {
  const stripe = Stripe(application, location ? { stripeAccount: location } : {});
  const card = stripe.elements().create("card");
  await new Promise(ready => {
    card.on("ready", ready);
    card.mount(element);
  });
  return async () => {
    const made = await stripe.createPaymentMethod({ type: "card", card });
    if (made.paymentMethod) return made.paymentMethod.id;
    throw new Error(made.error?.message ?? "");
  };
}
