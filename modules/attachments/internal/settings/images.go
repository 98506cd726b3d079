package settings

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
)

// ImageSettings are the keys under modules.attachments.images.
type ImageSettings struct {
	Evidence  []string      `config:"evidence" doc:"Categories whose images keep where they were made (GPS data). Of all others it is taken out before they are stored; their pixels stay unchanged."`
	MaxPixels int           `config:"max_pixels" doc:"Most pixels that an image may have of which thumbnails are made."`
	MaxMemory config.Size   `config:"max_memory" doc:"How many bytes images may take that are decoded at a time in this process. Of one that takes more by itself there are no thumbnails."`
	Timeout   time.Duration `config:"timeout" doc:"Time that reading and decoding an image may take."`
}

func imageDefaults() ImageSettings {
	return ImageSettings{MaxPixels: 50_000_000, MaxMemory: 256 * config.MiB, Timeout: time.Minute}
}

func (s ImageSettings) validate() error {
	var problems []error
	if s.MaxPixels <= 0 || s.MaxMemory <= 0 || s.Timeout <= 0 {
		problems = append(problems, errors.New("images: max_pixels, max_memory and timeout: want more than 0"))
	}
	for _, category := range s.Evidence {
		if category == "" || !ValidCategory(category) {
			problems = append(problems, fmt.Errorf("images.evidence: %q: want lower case letters, digits and underscores", category))
		}
	}

	return errors.Join(problems...)
}

var categoryRule = regexp.MustCompile(`^[a-z0-9_]{0,60}$`)

// ValidCategory reports whether a text can be a category of files; "" is none.
func ValidCategory(text string) bool { return categoryRule.MatchString(text) }
