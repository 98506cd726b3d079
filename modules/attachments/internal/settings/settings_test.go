package settings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
)

func TestSettings_RefuseWhatCannotWork(t *testing.T) {
	t.Parallel()
	require.NoError(t, settings.Defaults().Validate())
	for text, change := range map[string]func(*settings.Settings){
		"max_size":      func(s *settings.Settings) { s.MaxSize = 0 },
		"orphan_age":    func(s *settings.Settings) { s.OrphanAge = time.Minute },
		"link_life":     func(s *settings.Settings) { s.LinkLife = 365 * 24 * time.Hour },
		"allowed_types": func(s *settings.Settings) { s.AllowedTypes = []string{"pdf"} },
	} {
		s := settings.Defaults()
		change(&s)
		require.ErrorContains(t, s.Validate(), text)
	}
}
