package blob

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/config"
)

// FolderName is the name, in the data folder, of the folder in which files are kept by default.
const FolderName = "files"

// Settings are the keys under blob.
type Settings struct {
	URL        string        `config:"url" doc:"Where files are stored: empty for the folder files in the data folder, file:///var/lib/files for another folder, or s3://bucket for an S3-compatible bucket, with ?region=eu-central-1 and, if needed, &endpoint=https://minio.example.com, &path_style=true and &prefix=files/."`
	AccessKey  config.Secret `config:"access_key" doc:"Access key id for the bucket. Without it and secret_key, the AWS SDK finds credentials itself: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the machine's role."`
	SecretKey  config.Secret `config:"secret_key" doc:"Secret access key for the bucket."`
	StallAfter time.Duration `config:"stall_after" doc:"How long to wait for a bucket that makes no progress (no answer, and no bytes read or written) before giving up."`
}

// Defaults are a folder in the data folder.
func Defaults() Settings { return Settings{StallAfter: 10 * time.Second} }

// place is where files are kept, read from the settings.
type place struct {
	folder string // "" for a bucket

	bucket, region, endpoint, prefix string
	pathStyle                        bool
}

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixText = regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9_.-]*/)+$`)
)

// Validate reports settings that cannot work.
func (s Settings) Validate() error {
	if s.StallAfter <= 0 {
		return errors.New("stall_after: want a time above zero, such as 30s")
	}
	if (s.AccessKey == "") != (s.SecretKey == "") {
		return errors.New("access_key and secret_key: want both or neither")
	}
	_, err := s.place("")

	return err
}

func (s Settings) place(dataDir string) (place, error) {
	if s.URL == "" {
		return place{folder: filepath.Join(dataDir, FolderName)}, nil
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return place{}, fmt.Errorf("url: %q: want s3://bucket?region=eu-central-1 or file:///folder", s.URL)
	}
	if u.User != nil {
		return place{}, errors.New("url: want no credentials: set access_key and secret_key instead")
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" || !filepath.IsAbs(u.Path) || u.RawQuery != "" {
			return place{}, fmt.Errorf("url: %q: want a folder such as file:///var/lib/files", s.URL)
		}

		return place{folder: filepath.Clean(u.Path)}, nil
	case "s3":
		return bucketPlace(u)
	default:
		return place{}, fmt.Errorf("url: %q: want s3://bucket?region=eu-central-1 or file:///folder", s.URL)
	}
}

func bucketPlace(u *url.URL) (place, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return place{}, fmt.Errorf("url: query: %w", err)
	}
	known := []string{"region", "endpoint", "path_style", "prefix"}
	for key := range query {
		if !slices.Contains(known, key) {
			return place{}, fmt.Errorf("url: %q: want %s", key, strings.Join(known, ", "))
		}
	}
	p := place{bucket: u.Host, region: query.Get("region"), endpoint: query.Get("endpoint"), prefix: query.Get("prefix")}
	if !bucketName.MatchString(p.bucket) || strings.Trim(u.Path, "/") != "" {
		return place{}, fmt.Errorf("url: bucket %q: want a name such as s3://dispatch-files?region=eu-central-1; a folder in it is prefix", u.Host+u.Path)
	}
	if p.region == "" {
		return place{}, errors.New("url: want a region, such as ?region=eu-central-1; for a server without regions, us-east-1")
	}
	if p.prefix != "" && !prefixText.MatchString(p.prefix) {
		return place{}, fmt.Errorf("url: prefix %q: want letters, digits, dots, hyphens and underscores, and a slash at the end", p.prefix)
	}
	if e, err := url.Parse(p.endpoint); p.endpoint != "" && (err != nil || e.Host == "" || e.Scheme != "https" && e.Scheme != "http" || e.User != nil) {
		return place{}, fmt.Errorf("url: endpoint %q: want an address such as https://minio.example.com", p.endpoint)
	}
	if text := query.Get("path_style"); text != "" {
		if p.pathStyle, err = strconv.ParseBool(text); err != nil {
			return place{}, fmt.Errorf("url: path_style %q: want true or false", text)
		}
	}

	return p, nil
}
