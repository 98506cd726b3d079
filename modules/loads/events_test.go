package loads_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/walks/scene"
)

// said are the names of the events of loads.
func (o office) said(t *testing.T) []string {
	t.Helper()

	return o.EventNames(t, o.Owner, "loads.load.")
}

func TestLoad_PublishesWhatItsSalesDoWithIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		load := scene.Of(o.App).Load(t, nil)
		for _, step := range []struct {
			verb string
			body any
			want string
		}{
			{"quote", nil, "loads.load.quoted"},
			{"hold", object{"reason": "other"}, "loads.load.held"},
			{"release", nil, "loads.load.released"},
			{"lose", object{"reason": "price"}, "loads.load.lost"},
			{"reopen", object{"reason": "They called again"}, "loads.load.reopened"},
		} {
			o.post(t, load+"/"+step.verb, step.body).OK(t)
			said := o.said(t)
			require.Equal(t, step.want, said[len(said)-1])
		}
		require.Len(t, o.said(t), 6)
	})
}

func TestLoad_PublishesWhoHasItAndThatItIsCanceled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		load := scene.Of(o.App).Ready(t, nil)
		before := len(o.said(t))
		owner := o.get(t, load).Get("created_by").String()
		o.post(t, load+"/reassign", object{"user_uuid": owner}).OK(t)
		o.post(t, load+"/cancel", object{"reason": "customer"}).OK(t)
		require.Equal(t, []string{"loads.load.reassigned", "loads.load.cancelled"}, o.said(t)[before:])
	})
}

func TestLoad_PublishesThatItsCustomerSigned(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		path := scene.Of(o.App).Ready(t, nil)
		o.post(t, path+"/signatures", object{"name": "Ann Lee", "method": "paper"}).OK(t)
		require.Equal(t, []string{"loads.load.signed"}, o.EventNames(t, o.Owner, "loads.load.signed"))
		for _, e := range o.Events(t, o.Owner) {
			if e.Name == "loads.load.signed" {
				require.Equal(t, o.get(t, path).Get("uuid").String(), e.Get("load_uuid").String())
			}
		}
	})
}

func TestTransactionRecord_PublishesThatItIsRequested(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		o.change(t, base+"/settings", object{"share_transaction_records": true})
		load := scene.Of(o.App).Load(t, nil)
		request := o.post(t, base+"/transparency_requests", object{"load_uuid": o.get(t, load).Get("uuid").String(), "name": "Bo", "email": "bo@haul.test"}).
			OK(t).Header.Get("Location")
		require.Equal(t, []string{"loads.transparency_request.created"}, o.EventNames(t, o.Owner, "loads.transparency_request."))

		link := o.post(t, request+"/answer", object{}).OK(t).Get("share.url").String()
		o.Call(t, "", http.MethodGet, link, nil).OK(t)
		o.call(t, http.MethodDelete, request, nil).OK(t)
		o.call(t, http.MethodDelete, load, nil).OK(t)
		o.Call(t, "", http.MethodGet, link, nil).Refused(t, http.StatusNotFound, "loads.record_closed")
	})
}

func TestLoad_PublishesThatItsCarrierIsTakenBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		load := scene.Of(o.App).Covered(t, nil)
		before := len(o.said(t))
		o.call(t, http.MethodPatch, load, object{"instructions_carrier": "Ring twice"}).OK(t)
		o.post(t, load+"/uncover", nil).OK(t)
		require.Equal(t, []string{"loads.load.updated", "loads.load.uncovered"}, o.said(t)[before:])
	})
}
