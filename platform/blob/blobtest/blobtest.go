// Package blobtest has an S3-compatible server for tests.
package blobtest

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/config"
)

const (
	accessKey = "dispatchd-test"
	secretKey = "not-a-secret"
)

// program is versitygw, which is built from tools/s3 once.
var program = sync.OnceValues(
	func() (string, error) {
		module, err := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/dispatchd/dispatchd").Output()
		if err != nil {
			return "", err
		}
		build := exec.CommandContext(context.Background(), "go", "tool", "-n", "versitygw")
		build.Dir = filepath.Join(strings.TrimSpace(string(module)), "tools", "s3")
		build.Stderr = os.Stderr
		path, err := build.Output()

		return strings.TrimSpace(string(path)), err
	})

// Bucket starts a versitygw for the time of the test, makes a bucket there, and returns the settings that store in it.
func Bucket(t *testing.T) blob.Settings {
	t.Helper()
	endpoint := "http://" + gateway(t)
	made := "test-" + uuid.NewString()
	client := s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(endpoint), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
	})
	_, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(made)})
	require.NoError(t, err)
	s := blob.Defaults()
	s.URL = "s3://" + made + "?region=us-east-1&path_style=true&prefix=files/&endpoint=" + endpoint
	s.AccessKey, s.SecretKey = config.Secret(accessKey), config.Secret(secretKey)

	return s
}

// gateway returns the address of a server of the test's own.
func gateway(t *testing.T) string {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	dir := t.TempDir()
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())
	for _, folder := range []string{"data", "sidecar"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
	}
	run := exec.CommandContext(context.WithoutCancel(t.Context()), path, "--port", address, "--quiet", "posix", //nolint:gosec // built by the test
		"--sidecar", filepath.Join(dir, "sidecar"), filepath.Join(dir, "data"))
	run.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	run.Stderr = os.Stderr
	require.NoError(t, run.Start())
	t.Cleanup(func() {
		require.NoError(t, run.Process.Kill())
		require.Error(t, run.Wait(), "it was killed")
	})
	require.Eventually(t, func() bool { return answers(t, address) }, time.Minute, 50*time.Millisecond, "versitygw answers")

	return address
}

func answers(t *testing.T, address string) bool {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/", http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)

	return err == nil && response.Body.Close() == nil
}
