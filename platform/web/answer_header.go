package web

import "context"

// SetHeader sets a header of the answer to the request that ctx belongs to. It is for what goes with an
// answer beside its resource; a header that an operation always has is better a field of its output.
// Outside of a request it does nothing.
func SetHeader(ctx context.Context, name, value string) {
	if ex := exchangeOf(ctx); ex != nil && ex.call.humaContext != nil {
		ex.call.SetHeader(name, value)
	}
}
