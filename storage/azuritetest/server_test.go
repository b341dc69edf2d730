package azuritetest_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"microblogging/storage/azuritetest"
)

func TestServer(t *testing.T) {
	t.Run("it ends with the test binary", endsWithBinary)
}

func endsWithBinary(t *testing.T) {
	if os.Getenv("AZURITETEST_VICTIM") != "" {
		fmt.Println("victim reaches", azuritetest.Shared(t).Account())
		select {} // until it is killed
	}
	azuritetest.Shared(t) // without Azurite, the test is skipped here
	victim := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	victim.Env = append(os.Environ(), "AZURITETEST_VICTIM=1")
	output, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	var connection string
	for lines := bufio.NewScanner(output); connection == "" && lines.Scan(); {
		_, connection, _ = strings.Cut(lines.Text(), "victim reaches ")
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := victim.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the victim was not killed: %v", err)
	}
	for deadline := time.Now().Add(20 * time.Second); dial(connection) == nil; {
		if time.Now().After(deadline) {
			t.Fatal("Azurite outlives the test binary that started it")
		}
	}
}

func dial(connection string) error {
	address := regexp.MustCompile(`TableEndpoint=http://([^/]+)/`).FindStringSubmatch(connection)
	if address == nil {
		return fmt.Errorf("no table endpoint in %q", connection)
	}
	conn, err := net.Dial("tcp", address[1])
	if err != nil {
		return err
	}
	return conn.Close()
}
