package catalogue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/feature"
)

func TestEnabledAreas_AreThosePaidForAndWhatTheyNeed(t *testing.T) {
	t.Parallel()
	uses := []feature.Use{
		{Area: "billing", Needs: []string{"cards"}},
		{Area: "cards"},
		{Area: "companies", Essential: true},
		{Area: "esign", Needs: []string{"files"}},
		{Area: "files", Needs: []string{"blobs"}},
		{Area: "blobs"},
		{Area: "sms"},
	}
	require.Equal(t, map[string]bool{"billing": true, "cards": true, "esign": true, "files": true, "blobs": true, "sms": false},
		enabledAreas(uses, []string{"billing", "esign", "gone"}))
	require.Equal(t, map[string]bool{"billing": true, "cards": true, "esign": false, "files": false, "blobs": false, "sms": false},
		enabledAreas(uses, []string{"billing"}))
}
