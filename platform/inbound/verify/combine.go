package verify

import (
	"context"
	"errors"
	"strings"
)

// All is right if every scheme is; the keys that matched are joined by "+". Without a scheme it is ErrNoKey.
func All(schemes ...Scheme) Scheme {
	return func(ctx context.Context, r Request) (string, error) {
		if len(schemes) == 0 {
			return "", ErrNoKey
		}
		matched := make([]string, 0, len(schemes))
		for _, s := range schemes {
			key, err := s.Verify(ctx, r)
			if err != nil {
				return "", err
			}
			matched = append(matched, key)
		}

		return strings.Join(matched, "+"), nil
	}
}

// Any is right if one of the schemes is: the first in order. Those that have no key do not count;
// if none has one it is ErrNoKey, else the error of the first that has.
func Any(schemes ...Scheme) Scheme {
	return func(ctx context.Context, r Request) (string, error) {
		problem := ErrNoKey
		for _, s := range schemes {
			key, err := s.Verify(ctx, r)
			if err == nil {
				return key, nil
			}
			if errors.Is(problem, ErrNoKey) {
				problem = err
			}
		}

		return "", problem
	}
}

// Verify is the scheme, and ErrNoKey of a nil one.
func (s Scheme) Verify(ctx context.Context, r Request) (key string, err error) {
	if s == nil {
		return "", ErrNoKey
	}

	return s(ctx, r)
}
