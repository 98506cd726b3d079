package list

import "context"

// Serve is the handler of an operation that takes nothing but what lists take: it reads the page that the
// query asks for, and shows each of its rows. Where an operation takes more, it does these steps itself.
func Serve[R, T any](
	schema Schema, read func(context.Context, Query) (Page[R], error), show func(R) T,
) func(context.Context, *Input) (*Output[T], error) {
	return func(ctx context.Context, in *Input) (*Output[T], error) {
		q, err := in.Parse(ctx, schema)
		if err != nil {
			return nil, err
		}
		page, err := read(ctx, q)
		if err != nil {
			return nil, err
		}

		return Answer(q, Convert(page, show)), nil
	}
}

// ShownAs is the schema of a list whose rows are shown as T, so that fields= may name T's keys.
func ShownAs[T any](s Schema) Schema {
	s.Keys = KeysOf[T]()

	return s
}
