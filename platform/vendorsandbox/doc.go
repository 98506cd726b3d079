// Package vendorsandbox has what the sandboxes of vendors share: notifications that are brought to the service's own
// receivers in order and with retries, and the way back to the page that somebody came from. What a sandbox does is its area's.
// See docs/vendorsandbox.md.
package vendorsandbox
