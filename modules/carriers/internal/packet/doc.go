// Package packet has carriers fill in their onboarding packet by a link: who they are, what they drive, their insurance, W-9, agreement
// and how they are paid. What they type is a proposal, which the company approves or rejects.
package packet
