package blob

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/s3blob"
)

const folderMode = 0o700

func (s *Store) open(ctx context.Context) (*gcblob.Bucket, error) {
	if s.place.folder != "" {
		return openFolder(s.place.folder)
	}

	return s.openBucket(ctx)
}

// openFolder opens a folder. What is being written stands beside what is there, so that it can be
// renamed, whatever is mounted where; no second file tells about each.
func openFolder(folder string) (*gcblob.Bucket, error) {
	if err := os.MkdirAll(folder, folderMode); err != nil {
		return nil, err
	}

	return fileblob.OpenBucket(folder, &fileblob.Options{
		NoTempDir: true, DirFileMode: folderMode, Metadata: fileblob.MetadataDontWrite,
	})
}

func (s *Store) openBucket(ctx context.Context) (*gcblob.Bucket, error) {
	options := []func(*config.LoadOptions) error{
		config.WithRegion(s.place.region),
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
			t.ResponseHeaderTimeout = s.settings.StallAfter
		})),
		// Servers other than Amazon's know the newer checksums rarely. TLS and our own SHA-256 do.
		config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired),
		config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired),
	}
	if s.settings.AccessKey != "" {
		options = append(options, config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(
			s.settings.AccessKey.Reveal(), s.settings.SecretKey.Reveal(), "")))
	}
	found, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, err
	}
	client := s3.NewFromConfig(found, func(o *s3.Options) {
		o.UsePathStyle = s.place.pathStyle
		if s.place.endpoint != "" {
			o.BaseEndpoint = aws.String(s.place.endpoint)
		}
	})
	bucket, err := s3blob.OpenBucket(ctx, client, s.place.bucket, nil)
	if err != nil || s.place.prefix == "" {
		return bucket, err
	}

	return gcblob.PrefixedBucket(bucket, s.place.prefix), nil
}

// prepare makes the folder of a key, and has it survive a loss of power. A bucket needs nothing.
func (p place) prepare(key string) error {
	if p.folder == "" {
		return nil
	}
	dir := p.dir(key)
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return err
	}
	for ; len(dir) >= len(p.folder); dir = filepath.Dir(dir) {
		if err := syncFolder(dir); err != nil {
			return err
		}
	}

	return nil
}

// syncFolder has what was renamed into the folder of a key survive a loss of power.
func (p place) syncFolder(key string) error {
	if p.folder == "" {
		return nil
	}

	return syncFolder(p.dir(key))
}

func (p place) dir(key string) string {
	return filepath.Dir(filepath.Join(p.folder, filepath.FromSlash(key)))
}

func syncFolder(dir string) error {
	f, err := os.Open(dir) //nolint:gosec // made of the configuration and a key
	if err != nil {
		return err
	}
	err = f.Sync()
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("folder of a blob: %w", err)
	}

	return nil
}
