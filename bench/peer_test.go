package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

func TestOptions_RunThePeerOnlyWhenAskedByName(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{"": false, "--peer": true, "--only peer": true, "--only pieces": false} {
		o, err := parseOptions(strings.Fields(args), io.Discard)
		require.NoError(t, err)
		require.Equal(t, want, o.asksPeer(), args)
	}
}

func TestPeerAsker_AsksWhatTheProductIsAsked(t *testing.T) {
	t.Parallel()
	a := &peerAsker{base: "http://peer", token: "t", customer: "c", records: 1000}
	n := spread(3, 0, 1000)
	for what, want := range map[operation]string{
		opGet:    "GET http://peer" + peerRecords + "/" + filledPeerID(n),
		opFilter: "GET http://peer" + peerRecords + "?perPage=20&skipTotal=1&filter=vin%3D%27" + filledVIN(n) + "%27",
		opPage:   "GET http://peer" + peerRecords + "?perPage=20&skipTotal=1",
		opPatch:  "PATCH http://peer" + peerRecords + "/" + filledPeerID(n),
		opCreate: "POST http://peer" + peerRecords,
	} {
		var r fasthttp.Request
		a.client(what, 3)(&r)
		require.Equal(t, want, string(r.Header.Method())+" "+r.URI().String(), what)
		require.Equal(t, "Bearer t", string(r.Header.Peek("Authorization")))
		if what == opCreate || what == opPatch {
			require.True(t, json.Valid(r.Body()), string(r.Body()))
		}
	}
	require.Len(t, filledPeerID(n), 15)
}

func TestPeerAsker_RefusesAnAnswerWithoutTheRows(t *testing.T) {
	t.Parallel()
	a := &peerAsker{}
	require.NoError(t, a.check(opGet)([]byte(`{"id":"x"}`)))
	require.NoError(t, a.check(opFilter)([]byte(`{"items":[{}]}`)))
	require.Error(t, a.check(opGet)([]byte(`{}`)))
	require.Error(t, a.check(opFilter)([]byte(`{"items":[]}`)))
	require.Error(t, a.check(opPage)([]byte(`{"items":[{}]}`)))
}

func TestTargets_TakeThePeerThatWasMeasured(t *testing.T) {
	t.Parallel()
	b := &besidePeer{
		ours: started{boot: 90 * time.Millisecond, idle: 50 << 20}, theirs: started{boot: 40 * time.Millisecond, idle: 24 << 20},
		fresh: started{boot: 50 * time.Millisecond, idle: 25 << 20}, loaded: 60, peerLoaded: 100,
		answers: []answer{
			answered(opCreate, 8, peerName, 4000, 1000, time.Millisecond),
			answered(opCreate, 32, peerName, 2000, 1000, time.Millisecond),
			answered(opPatch, 8, peerName, 2000, 1000, time.Millisecond),
			answered(opPatch, 32, peerName, 2000, 1000, time.Millisecond),
			answered(opGet, 8, peerName, 3000, 1000, time.Millisecond),
			answered(opGet, 32, peerName, 1000, 1000, time.Millisecond),
		},
	}
	all := measurements()
	all[0].peer = b
	verdicts := map[string]string{}
	for _, target := range targets(all[:1]) {
		verdicts[target.what] = target.verdict()
	}
	require.Equal(t, map[string]string{
		"sqlite: create, 32 clients / the peer":                           "met",
		"sqlite: get by id / the peer, the worse of 8 and 32 clients":     "MISSED",
		"sqlite: filter by VIN / the peer, the worse of 8 and 32 clients": "not measured",
		"sqlite: page of 20 / the peer, the worse of 8 and 32 clients":    "not measured",
		"sqlite: patch / create, the worse of 8 and 32 clients":           "MISSED",
		"sqlite: memory under load / the peer":                            "met",
		"sqlite: boot / the peer in a new folder":                         "met",
		"sqlite: idle memory / the peer in a new folder":                  "MISSED",
		"sqlite: p50 of the deep page / of the first":                     "MISSED",
		"sqlite: boot with all records / with hardly any":                 "aim",
	}, verdicts)
}
