// Package packet has onboarding packets: their rows, states and settings, what carriers enter, and how complete that is. A carrier fills in its packet
// by a link, without an account: profile, equipment, insurance, W-9, payment, agreement and identity. Its entries are a proposal until the company
// approves the packet.
package packet
