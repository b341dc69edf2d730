// Package version says of which version a store is, and whether this program may use it.
//
// The version is one row, which is written before any other row. A store without rows has none yet, and the
// target of a copy is Unfinished until the copy has ended.
package version

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// ErrRefused means that this program must not use a store, because its rows are of another version, or
// nothing says of which. The text of an error that wraps it says what an operator does.
var ErrRefused = errors.New("this program does not use this store")

// Unfinished is the version of the target of a copy that has not ended. It is written before the first row.
const Unfinished = "unfinished copy"

// Read returns the version of a store. It is empty if the store has none: the store is empty, commit 0064adec or
// an earlier one wrote it, or it has lost the row. The error is an ErrRefused if what the store says is no version,
// and domain.ErrMissing if the table of the version is not there.
func Read(ctx context.Context, backend driver.Backend) (version string, err error) {
	rows, err := driver.NewTable(backend, schema.TableDeletions).First(ctx, 2, driver.Range{Partition: schema.VersionPartition})
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the version of the store: %w", err)
	case len(rows) == 0:
		return "", nil
	}
	version = rows[0].Properties.String(schema.PropVersion)
	if _, _, ok := parse(version); !ok && version != Unfinished || len(rows) > 1 || rows[0].Row != schema.SingleRow {
		return "", fmt.Errorf("%w: what says its version is damaged (rows: %d, the first says %q); restore a backup", ErrRefused, len(rows), version)
	}
	return version, nil
}

// Check fails with ErrRefused unless a store has the version of this program.
func Check(ctx context.Context, backend driver.Backend) error {
	version, err := Read(ctx, backend)
	return cmp.Or(err, refuse(version))
}

// Accept is Check of a store that may be empty, and then may lack tables, or may be of a version to which that of
// this program only adds. It returns the version of the store, which is empty if the store is.
func Accept(ctx context.Context, backend driver.Backend) (version string, err error) {
	version, err = Read(ctx, backend)
	switch {
	case isExtended(version):
		return version, nil
	case !errors.Is(err, domain.ErrMissing) && (err != nil || version != ""):
		return version, cmp.Or(err, refuse(version))
	}
	if empty, err := Empty(ctx, backend); err != nil || empty {
		return "", err
	}
	// Another process may have written the version, and then rows, since it was read.
	return schema.CurrentVersion, Check(ctx, backend)
}

// isExtended reports whether the version of this program only adds to another one. It has the same first number and a
// higher second one.
func isExtended(version string) bool {
	major, minor, _ := parse(version) // zeros if it is no version
	ourMajor, ourMinor, _ := parse(schema.CurrentVersion)
	return major == ourMajor && minor < ourMinor
}

// refuse says why this program does not use a store of another version, and what to do.
func refuse(version string) error {
	major, minor, _ := parse(version)
	ourMajor, ourMinor, _ := parse(schema.CurrentVersion)
	switch {
	case version == schema.CurrentVersion:
		return nil
	case version == Unfinished:
		return fmt.Errorf("%w: it is the target of a copy that has not ended; run that copy again, and it goes on", ErrRefused)
	case version == "":
		return fmt.Errorf("%w: it has rows and no version: an earlier build wrote it, or its table Deletions was lost; microblogging copy --from OLD --to NEW makes a store of version %s of it, or says why it cannot",
			ErrRefused, schema.CurrentVersion)
	case isExtended(version): // an older store was put in its place
		return fmt.Errorf("%w: it is of version %s, to which version %s only adds; start this program again, which makes it a store of that version",
			ErrRefused, version, schema.CurrentVersion)
	case major > ourMajor, major == ourMajor && minor > ourMinor:
		return fmt.Errorf("%w: it is of version %s, and this program is for version %s; use the newer program that wrote it", ErrRefused, version, schema.CurrentVersion)
	}
	return fmt.Errorf("%w: it is of version %s; microblogging copy --from OLD --to NEW makes a store of version %s of it", ErrRefused, version, schema.CurrentVersion)
}

// parse reads the two numbers of a version.
func parse(version string) (major, minor uint64, ok bool) {
	first, second, _ := strings.Cut(version, ".")
	major, errMajor := strconv.ParseUint(first, 10, 32)
	minor, errMinor := strconv.ParseUint(second, 10, 32)
	return major, minor, errMajor == nil && errMinor == nil && version == fmt.Sprintf("%d.%d", major, minor)
}

// Write writes the version of this program to a store that has none, or one to which it only adds. Programs of that
// one stop then. Write fails with ErrRefused if the store has another one.
func Write(ctx context.Context, backend driver.Backend) error {
	table := driver.NewTable(backend, schema.TableDeletions)
	row, err := table.Find(ctx, schema.VersionPartition, schema.SingleRow)
	if err != nil {
		return err
	}
	write := driver.Insert(schema.SingleRow, driver.String(schema.PropVersion, schema.CurrentVersion))
	switch version := row.Properties.String(schema.PropVersion); {
	case isExtended(version):
		write = driver.Replace(schema.SingleRow, driver.Match(row.ETag), write.Properties...)
	case row.Found():
		return refuse(version)
	}
	err = table.Transact(ctx, schema.VersionPartition, write)
	if errors.Is(err, domain.ErrExists) || errors.Is(err, domain.ErrConflict) { // another process has written one, or this was sent twice
		return Check(ctx, backend)
	}
	return err
}

// Replace gives a store another version, or its first. A copy does that to its target.
func Replace(ctx context.Context, backend driver.Backend, version string) error {
	table := driver.NewTable(backend, schema.TableDeletions)
	row, err := table.Find(ctx, schema.VersionPartition, schema.SingleRow)
	if err != nil || row.Properties.String(schema.PropVersion) == version {
		return err
	}
	write := driver.Insert(schema.SingleRow, driver.String(schema.PropVersion, version))
	if row.Found() {
		write = driver.Replace(schema.SingleRow, driver.Match(row.ETag), write.Properties...)
	}
	if err = table.Transact(ctx, schema.VersionPartition, write); err == nil {
		return nil
	}
	now, unread := Read(ctx, backend)
	if unread == nil && now == version { // this was sent twice
		return nil
	}
	return err
}

// Empty reports whether a store has no rows, but for that of its version.
func Empty(ctx context.Context, backend driver.Backend) (bool, error) {
	for _, table := range schema.Tables() {
		for row, err := range driver.NewTable(backend, table).All(ctx, driver.Scan{Paging: driver.Paging{Limit: 2, KeysOnly: true}}) {
			switch {
			case errors.Is(err, domain.ErrMissing):
			case err != nil:
				return false, fmt.Errorf("looking whether the store is empty: %w", err)
			case schema.Of(table, row.Partition, row.Row) != schema.Version:
				return false, nil
			}
		}
	}
	return true, nil
}
