package pdfjoin

import (
	"context"
	"time"
)

// PagesWithin is Pages with a limit of time other than MaxTime.
func PagesWithin(ctx context.Context, limit time.Duration, file []byte) (int, error) {
	pages, _, err := run(ctx, limit, modePages, [][]byte{file})

	return pages, err
}
