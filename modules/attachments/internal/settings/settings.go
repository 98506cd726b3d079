// Package settings has the keys under modules.attachments.
package settings

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
)

// Settings are the keys under modules.attachments.
type Settings struct {
	MaxSize        config.Size   `config:"max_size" doc:"Largest file."`
	MaxCompanySize config.Size   `config:"max_company_size" doc:"How many bytes of files a company may have, with all versions and what is deleted and not purged yet, also by upload links, for which nobody needs a token. 0 is any number."`
	MaxVersions    int           `config:"max_versions" doc:"How many versions of its content a file may have."`
	MaxArchive     config.Size   `config:"max_archive" doc:"How many bytes the files may have together that are read as one archive."`
	AllowedTypes   []string      `config:"allowed_types" doc:"Media types that files may have, such as image/* and application/pdf; none is all but the refused ones. What a file is, is found by looking at it."`
	RefusedTypes   []string      `config:"refused_types" doc:"Media types that no file may have."`
	Retention      time.Duration `config:"retention" doc:"How long a deleted file can be restored, before it is purged."`
	OrphanAge      time.Duration `config:"orphan_age" doc:"How old stored content that no file has must be before it is removed: longer than an upload may take (web.streams.max_duration)."`
	LinkLife       time.Duration `config:"link_life" doc:"How long a link to a file is good, unless its maker says otherwise."`
	LinkUploads    int           `config:"link_uploads" doc:"How many uploads, and as many looks, an upload link takes in a minute."`
	ResumeLife     time.Duration `config:"resume_life" doc:"How long an upload that comes bit by bit (tus) waits for more, before what has arrived is removed."`
	PartSize       config.Size   `config:"part_size" doc:"How much of such an upload is stored at a time. It is what is lost of it at most when the service is killed."`

	Scan   ScanSettings  `config:"scan" doc:"Whether content is scanned for viruses."`
	Images ImageSettings `config:"images" doc:"What is made of images, and what that may take."`
}

// Defaults returns the settings of a deployment that sets none.
func Defaults() Settings {
	return Settings{
		MaxSize: 2 * config.GiB, MaxCompanySize: 100 * config.GiB, MaxVersions: 100, MaxArchive: 4 * config.GiB,
		RefusedTypes: []string{
			"application/vnd.microsoft.portable-executable", "application/x-elf", "application/x-executable",
			"application/x-sharedlib", "application/x-object", "application/x-coredump", "application/x-mach-binary",
			"application/x-ms-installer", "application/x-ms-shortcut", "application/java-archive",
		},
		Retention: 30 * 24 * time.Hour, OrphanAge: 12 * time.Hour, LinkLife: time.Hour, LinkUploads: 30,
		ResumeLife: 24 * time.Hour, PartSize: 16 * config.MiB,
		Scan: scanDefaults(), Images: imageDefaults(),
	}
}

// typeRule is a media type, or all of a kind.
var typeRule = regexp.MustCompile(`^[a-z0-9][a-z0-9.+-]*/([a-z0-9][a-z0-9.+-]*|\*)$`)

// Validate reports every setting that cannot work.
func (s Settings) Validate() error {
	var problems []error
	positive := func(key string, fine bool) {
		if !fine {
			problems = append(problems, fmt.Errorf("%s: want more than 0", key))
		}
	}
	positive("max_size", s.MaxSize > 0)
	positive("max_versions", s.MaxVersions > 0)
	positive("max_archive", s.MaxArchive > 0)
	positive("retention", s.Retention > 0)
	positive("link_uploads", s.LinkUploads > 0)
	positive("part_size", s.PartSize > 0)
	if s.ResumeLife < time.Minute {
		problems = append(problems, errors.New("resume_life: want 1m or more"))
	}
	if s.MaxCompanySize < 0 {
		problems = append(problems, errors.New("max_company_size: want 0 or more"))
	}
	if s.OrphanAge < time.Hour {
		problems = append(problems, errors.New("orphan_age: want 1h or more, so that uploads in progress keep their content"))
	}
	if s.LinkLife <= 0 || s.LinkLife > MaxLinkLife {
		problems = append(problems, fmt.Errorf("link_life: want more than 0 and at most %s", MaxLinkLife))
	}
	for key, types := range map[string][]string{"allowed_types": s.AllowedTypes, "refused_types": s.RefusedTypes} {
		for _, t := range types {
			if !ValidMediaType(t) {
				problems = append(problems, fmt.Errorf("%s: %q: want a media type such as application/pdf or image/*", key, t))
			}
		}
	}

	problems = append(problems, s.Scan.validate(), s.Images.validate())

	return errors.Join(problems...)
}

// MaxSizeWithin is the largest file within some limits beside the deployment's; 0 is no limit.
func (s Settings) MaxSizeWithin(limits ...int64) int64 {
	most := int64(s.MaxSize)
	for _, limit := range limits {
		if limit > 0 {
			most = min(most, limit)
		}
	}

	return most
}

// MaxLinkLife is the longest that a link to a file is good.
const MaxLinkLife = 7 * 24 * time.Hour

// ValidMediaType reports whether a text is a media type, or all of a kind such as image/*.
func ValidMediaType(text string) bool { return typeRule.MatchString(text) }
