package blob

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
)

func TestSettings_SayWhereFilesAre(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]place{
		"":                                {folder: filepath.Join("data", "files")},
		"file:///srv/files/":              {folder: "/srv/files"},
		"s3://papers?region=eu-central-1": {bucket: "papers", region: "eu-central-1"},
		"s3://papers?region=us-east-1&endpoint=https://minio.example.com:9000&path_style=true&prefix=a/b/": {
			bucket: "papers", region: "us-east-1", endpoint: "https://minio.example.com:9000", pathStyle: true, prefix: "a/b/",
		},
	} {
		s := Defaults()
		s.URL = url
		require.NoErrorf(t, s.Validate(), "%s", url)
		got, err := s.place("data")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestSettings_RefuseWhatCannotWorkAndShowNoSecret(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"s3://papers":                                 "region",
		"s3://p?region=x":                             "bucket",
		"s3://papers/folder?region=x":                 "prefix",
		"s3://papers?region=x&regoin=y":               "regoin",
		"s3://papers?region=x&prefix=/a":              "prefix",
		"s3://papers?region=x&path_style=maybe":       "path_style",
		"s3://papers?region=x&endpoint=minio":         "endpoint",
		"s3://user:hunter2@papers?region=x":           "credentials",
		"file://host/a":                               "folder",
		"file:relative":                               "folder",
		"gs://papers":                                 "s3://",
		"s3://papers?region=x&endpoint=ftp://example": "endpoint",
	} {
		s := Defaults()
		s.URL = url
		err := s.Validate()
		require.ErrorContainsf(t, err, want, "%s", url)
		require.NotContains(t, err.Error(), "hunter2")
	}
	half := Defaults()
	half.AccessKey = config.Secret("AKIA")
	require.ErrorContains(t, half.Validate(), "both or neither")
	require.Error(t, Settings{}.Validate())
}
