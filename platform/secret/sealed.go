package secret

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
)

var errNotFaithful = errors.New("secret: the value does not survive being written as JSON: a field of it is hidden, unexported or an interface")

// SealValue seals a value of several fields, as JSON. T has plain fields: what hides it is the Hidden
// around it.
func SealValue[T any](ctx context.Context, keys *Keys, at Place, value Hidden[T]) ([]byte, error) {
	plain := value.Reveal()
	text, err := json.Marshal(plain)
	if err != nil {
		return nil, errNotFaithful // without the cause, which may quote the value
	}
	var again T
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(plain, again) {
		return nil, errNotFaithful
	}

	return keys.Seal(ctx, at, text)
}

// OpenValue returns what SealValue sealed. Errors: those of Open.
func OpenValue[T any](ctx context.Context, keys *Keys, at Place, sealed []byte) (Hidden[T], error) {
	text, err := keys.Open(ctx, at, sealed)
	if err != nil {
		return Hidden[T]{}, err
	}
	var value T
	if json.Unmarshal(text, &value) != nil {
		return Hidden[T]{}, ErrUnreadable
	}

	return Hide(value), nil
}
