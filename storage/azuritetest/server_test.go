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

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"microblogging/storage/azuritetest"
)

func TestServer(t *testing.T) {
	t.Run("nothing listens after a stop, and a restart keeps the ports and empties the memory", restartEmptiesMemory)
	t.Run("a restart keeps a directory", restartKeepsDirectory)
	t.Run("accounts see nothing of each other", accountsAreSeparate)
	t.Run("it ends with the test binary", endsWithBinary)
}

func restartEmptiesMemory(t *testing.T) {
	server := azuritetest.Start(t)
	account := server.Account()
	createTable(t, account)
	server.Stop(t)
	server.Stop(t)
	if err := dial(account); err == nil {
		t.Error("something accepts connections after a stop")
	}
	server.Restart(t)
	if hasTable(t, account) {
		t.Error("the table is still there")
	}
}

func restartKeepsDirectory(t *testing.T) {
	server := azuritetest.StartAt(t, t.TempDir())
	account := server.Account()
	createTable(t, account)
	server.Restart(t)
	if !hasTable(t, account) {
		t.Error("the table is gone")
	}
}

func accountsAreSeparate(t *testing.T) {
	server := azuritetest.Shared(t)
	one, other := server.Account(), server.Account()
	createTable(t, one)
	if hasTable(t, other) {
		t.Error("a table of one account is seen by another")
	}
	if !hasTable(t, one) {
		t.Error("a table is not seen by its own account")
	}
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

func createTable(t *testing.T, connection string) {
	t.Helper()
	if _, err := client(t, connection).CreateTable(t.Context(), "Probe", nil); err != nil {
		t.Fatal(err)
	}
}

func hasTable(t *testing.T, connection string) bool {
	t.Helper()
	_, err := client(t, connection).NewClient("Probe").GetEntity(t.Context(), "p", "r", nil)
	var response *azcore.ResponseError
	if !errors.As(err, &response) {
		t.Fatalf("expected an error response, not %v", err)
	}
	return response.ErrorCode != string(aztables.TableNotFound)
}

func client(t *testing.T, connection string) *aztables.ServiceClient {
	t.Helper()
	c, err := aztables.NewServiceClientFromConnectionString(connection, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
