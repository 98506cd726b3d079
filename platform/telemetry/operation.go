package telemetry

import (
	"context"

	"github.com/google/uuid"
)

// Operation is the call of the API that is answered.
type Operation struct {
	// ID is the operation's id in the OpenAPI document.
	ID string
	// Item is the "uuid" of its path, uuid.Nil if there is none.
	Item uuid.UUID
	// Address is where the call comes from: an IP address.
	Address string
}

type operationKey struct{}

// WithOperation returns a context in which a call of the API that may write is answered. With the
// zero Operation, what is written is the service's own bookkeeping.
func WithOperation(ctx context.Context, op Operation) context.Context {
	return context.WithValue(ctx, operationKey{}, op)
}

// OperationOf returns the call that is answered, the zero Operation if none is.
func OperationOf(ctx context.Context) Operation {
	if op, ok := ctx.Value(operationKey{}).(Operation); ok {
		return op
	}

	return Operation{}
}
