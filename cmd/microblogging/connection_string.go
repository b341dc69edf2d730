package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxConnectionString is more than an account's connection string needs, in bytes. It
// bounds what is read of a file that was named by mistake.
const maxConnectionString = 8 << 10

// connectionString returns the connection string of the account, or "" if none is given.
// The one in a file goes before the one on the command line or in the environment. It is
// never in an error, because errors are logged.
func (f storageFlags) connectionString() (string, error) {
	if f.AzureConnectionStringFile == "" {
		return f.AzureConnectionString, nil
	}
	text, err := readSecret(f.AzureConnectionStringFile)
	if err != nil {
		return "", cannotRunError{fmt.Errorf("--azure-connection-string-file: %w", err)}
	}
	return text, nil
}

// readSecret returns the one line of a file.
func readSecret(name string) (secret string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data, err := io.ReadAll(io.LimitReader(file, maxConnectionString+1))
	if err != nil {
		return "", err
	}
	secret = strings.TrimSpace(string(data))
	switch {
	case len(data) > maxConnectionString:
		return "", fmt.Errorf("%s holds more than %d bytes, which is no connection string", name, maxConnectionString)
	case secret == "":
		return "", fmt.Errorf("%s is empty", name)
	case strings.ContainsAny(secret, "\r\n\x00"):
		return "", fmt.Errorf("%s holds more than one line", name)
	}
	return secret, nil
}
