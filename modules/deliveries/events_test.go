package deliveries_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDelivery_PublishesEachStepOfItsLife(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		load := d.covered(t)
		id := d.to(t, "Miami").Get("uuid").String()
		miami := base + "/" + id
		d.post(t, load+"/pick_up", nil).OK(t)
		d.post(t, miami+"/go_out", object{}).OK(t)
		d.post(t, miami+"/fail", object{"reason": "refused"}).OK(t)
		d.post(t, miami+"/reschedule", object{"scheduled_from": day(5) + "T15:00:00Z"}).OK(t)
		d.post(t, miami+"/fail", object{"reason": "refused"}).OK(t)
		d.post(t, miami+"/return", nil).OK(t)
		var names []string
		for _, e := range d.Events(t, d.Owner) {
			if e.Get("delivery_uuid").String() == id {
				names = append(names, e.Name)
			}
		}
		require.Equal(t, []string{
			"deliveries.delivery.out_for_delivery", "deliveries.delivery.failed", "deliveries.delivery.scheduled", "deliveries.delivery.failed",
			"deliveries.delivery.returned",
		}, names)
	})
}
