package blob_test

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

// server is one S3-compatible server for all tests of the package.
type server struct {
	once    sync.Once
	address string
	err     error
	stop    func()
}

var gateway server //nolint:gochecknoglobals // one process for all tests, ended by TestMain

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		writeForever(path)
	}
	code := m.Run()
	if gateway.stop != nil {
		gateway.stop()
	}
	os.Exit(code) //nolint:forbidigo // TestMain
}

// bucket makes a bucket of its own on a versitygw, which is built from tools/s3.
func bucket(t *testing.T) blob.Settings {
	t.Helper()
	gateway.once.Do(func() { gateway.address, gateway.stop, gateway.err = startGateway() })
	require.NoError(t, gateway.err)
	endpoint := "http://" + gateway.address
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

func startGateway() (address string, stop func(), err error) {
	tools, err := filepath.Abs(filepath.Join("..", "..", "tools", "s3"))
	if err != nil {
		return "", nil, err
	}
	build := exec.CommandContext(context.Background(), "go", "tool", "-n", "versitygw")
	build.Dir = tools
	build.Stderr = os.Stderr
	program, err := build.Output()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "dispatchd-s3-")
	if err != nil {
		return "", nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a free port
	if err != nil {
		return "", nil, err
	}
	address = free.Addr().String()
	if err := free.Close(); err != nil {
		return "", nil, err
	}
	run := exec.CommandContext(context.Background(), strings.TrimSpace(string(program)), "--port", address, "--quiet", "posix", "--sidecar", filepath.Join(dir, "sidecar"), filepath.Join(dir, "data"))
	run.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	run.Stderr = os.Stderr
	for _, folder := range []string{"data", "sidecar"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			return "", nil, err
		}
	}
	if err := run.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = run.Process.Kill()
		_ = run.Wait()
		_ = os.RemoveAll(dir)
	}

	return address, stop, answers(address)
}

// answers waits until a server does.
func answers(address string) error {
	var err error
	for range 300 {
		var response *http.Response
		if response, err = http.Get("http://" + address + "/"); err == nil { //nolint:noctx // of the test's own server
			return response.Body.Close()
		}
		<-time.After(100 * time.Millisecond)
	}

	return err
}
