package tracking_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPositions_HaveAPlace(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		nowhere := d.position(time.Minute)
		nowhere["position"] = nil
		refused := d.send(t, load, d.position(2*time.Minute), nowhere).Refused(t, http.StatusUnprocessableEntity, "tracking.invalid_position")
		require.Equal(t, []string{"The position is required."}, []string{refused.Get(`errors.positions\.1\.position.0`).String()})
		require.Empty(t, d.get(t, base+"/loads/"+idOf(load)+"/positions").Get("data").Array(), "nothing is stored")
	})
}
