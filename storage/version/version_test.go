package version_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/schema"
	"microblogging/storage/version"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func empty(t *testing.T) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() { ok(t, db.Close()) })
	return db
}

// hooked returns a store whose calls pass a hook.
func hooked(db driver.Backend, hook func(c *driver.Call) error) *storage.Parts {
	return storage.New(driver.Wrap(db, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		if err := hook(c); err != nil {
			return err
		}
		return next(ctx)
	}), storage.Options{HashPassword: drivertest.CheapHash})
}

func TestVersion(t *testing.T) {
	t.Run("is written before any other row", versionIsFirst)
	t.Run("of another kind, or none with rows, is refused with what to do, and nothing is written", otherVersionsAreRefused)
	t.Run("of a new store is that of one of two programs that make it", versionOfOneProgram)
	t.Run("to which the present one only adds is accepted, and becomes that when a role starts", earlierVersionIsRaised)
	t.Run("that is missing is not reported while another process makes the store", versionComesMeanwhile)
}

func versionIsFirst(t *testing.T) {
	db := empty(t)
	var written []string
	store := hooked(db, func(c *driver.Call) error {
		for _, op := range c.Operations {
			written = append(written, c.Target+" "+c.Partition+" "+op.Row)
		}
		return nil
	})
	ok(t, store.Operator.Prepare(t.Context()))
	_, err := store.Operator.SignUp(t.Context(), "ada", "correct horse battery")
	ok(t, err)
	if len(written) < 2 || written[0] != "Deletions version! " {
		t.Errorf("written in this order: %q", written)
	}
	has, err := version.Read(t.Context(), db)
	if has != "1.1" || err != nil {
		t.Errorf("the store has the version %q (%v)", has, err)
	}
}

func otherVersionsAreRefused(t *testing.T) {
	text := func(of string) driver.Property { return driver.String(schema.PropVersion, of) }
	for name, test := range map[string]struct {
		rows []driver.Operation // in the place of the version
		says string
	}{
		"a later one that adds":      {[]driver.Operation{driver.Insert("", text("1.9"))}, "use the newer program"},
		"a later one with more":      {[]driver.Operation{driver.Insert("", text("10.0"))}, "use the newer program"},
		"a later one that changes":   {[]driver.Operation{driver.Insert("", text("2.0"))}, "use the newer program"},
		"an earlier one":             {[]driver.Operation{driver.Insert("", text("0.1"))}, "microblogging copy --from OLD --to NEW"},
		"none":                       {nil, "it has rows and no version"},
		"of an unfinished copy":      {[]driver.Operation{driver.Insert("", text(version.Unfinished))}, "run that copy again"},
		"a number":                   {[]driver.Operation{driver.Insert("", text("2"))}, `damaged (rows: 1, the first says "2")`},
		"garbage":                    {[]driver.Operation{driver.Insert("", text("1.0\n"))}, "damaged"},
		"a zero before it":           {[]driver.Operation{driver.Insert("", text("1.00"))}, "damaged"},
		"an empty text":              {[]driver.Operation{driver.Insert("", text(""))}, "damaged"},
		"a property of another type": {[]driver.Operation{driver.Insert("", driver.Int64(schema.PropVersion, 1))}, "damaged"},
		"no property":                {[]driver.Operation{driver.Insert("")}, "damaged"},
		"two":                        {[]driver.Operation{driver.Insert("", text("1.0")), driver.Insert("1.0", text("1.0"))}, "damaged (rows: 2"},
		"one in another row":         {[]driver.Operation{driver.Insert("1.0", text("1.0"))}, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			db := empty(t)
			sound := storage.New(db, storage.Options{HashPassword: drivertest.CheapHash})
			ok(t, sound.Operator.Prepare(t.Context()))
			_, err := sound.Operator.SignUp(t.Context(), "ada", "correct horse battery")
			ok(t, err)
			ok(t, driver.NewTable(db, schema.TableDeletions).Transact(t.Context(), schema.VersionPartition, driver.Delete(schema.SingleRow, driver.Exists)))
			if len(test.rows) > 0 {
				ok(t, driver.NewTable(db, schema.TableDeletions).Transact(t.Context(), schema.VersionPartition, test.rows...))
			}
			store := hooked(db, func(c *driver.Call) error {
				if c.Writes() {
					t.Errorf("%s of %s", c.Method, c.Target)
				}
				return nil
			})
			for what, err := range map[string]error{"a role": store.Operator.Prepare(t.Context()), "a command": store.Health.Ready(t.Context())} {
				if !errors.Is(err, version.ErrRefused) || errors.Is(err, domain.ErrUnavailable) || !strings.Contains(err.Error(), test.says) {
					t.Errorf("%s says %v, want %q", what, err, test.says)
				}
			}
		})
	}
}

// A program of another version writes its own between the look of this one and its write.
func versionOfOneProgram(t *testing.T) {
	db := empty(t)
	other := func(of string) error {
		return driver.NewTable(db, schema.TableDeletions).Transact(t.Context(), schema.VersionPartition,
			driver.Insert(schema.SingleRow, driver.String(schema.PropVersion, of)))
	}
	store := hooked(db, func(c *driver.Call) error {
		if c.Method == driver.CallTransact {
			return other("0.3")
		}
		return nil
	})
	if err := store.Operator.Prepare(t.Context()); !errors.Is(err, version.ErrRefused) {
		t.Errorf("got %v", err)
	}
}

// of gives a store a version as a program of that version has.
func of(t *testing.T, db driver.Backend, version string) {
	t.Helper()
	ok(t, driver.NewTable(db, schema.TableDeletions).Transact(t.Context(), schema.VersionPartition,
		driver.Replace(schema.SingleRow, driver.Upsert, driver.String(schema.PropVersion, version))))
}

func earlierVersionIsRaised(t *testing.T) {
	db := empty(t)
	store := storage.New(db, storage.Options{HashPassword: drivertest.CheapHash})
	ok(t, store.Operator.Prepare(t.Context()))
	_, err := store.Operator.SignUp(t.Context(), "ada", "correct horse battery")
	ok(t, err)
	of(t, db, "1.0")
	ok(t, store.Health.Ready(t.Context()))
	if err := version.Check(t.Context(), db); !errors.Is(err, version.ErrRefused) || !strings.Contains(err.Error(), "start this program again") {
		t.Errorf("a role under which it came says %v", err)
	}
	for _, fault := range []drivertest.Hook{drivertest.Pass, drivertest.Only(drivertest.Writes, drivertest.SentTwice(1))} {
		of(t, db, "1.0")
		role := storage.New(drivertest.NewFaults(db, fault), storage.Options{})
		ok(t, role.Operator.Prepare(t.Context()))
		ok(t, version.Check(t.Context(), db))
	}
	for _, meanwhile := range []string{"1.1", "1.2", "2.0"} { // of a program that starts at the same time
		of(t, db, "1.0")
		late := hooked(db, func(c *driver.Call) error {
			if c.Writes() {
				of(t, db, meanwhile)
			}
			return nil
		})
		if err := late.Operator.Prepare(t.Context()); (err == nil) != (meanwhile == "1.1") {
			t.Errorf("where version %s comes meanwhile, a role that starts says %v", meanwhile, err)
		}
		if is, err := version.Read(t.Context(), db); is != meanwhile || err != nil {
			t.Errorf("version %s became %s (%v)", meanwhile, is, err)
		}
	}
}

func versionComesMeanwhile(t *testing.T) {
	for n := range 40 {
		db, calls := empty(t), 0
		first := storage.New(db, storage.Options{HashPassword: drivertest.CheapHash})
		ok(t, first.Operator.CreateTables(t.Context()))
		second := hooked(db, func(*driver.Call) error {
			if calls++; calls == n {
				ok(t, first.Operator.Prepare(t.Context()))
				_, err := first.Operator.SignUp(t.Context(), "ada", "correct horse battery")
				return err
			}
			return nil
		})
		if err := second.Operator.Prepare(t.Context()); err != nil {
			t.Errorf("the store is made before call %d: %v", n, err)
		}
		if calls < n {
			return
		}
	}
	t.Error("it ends after more than 40 calls")
}

func TestReplace(t *testing.T) {
	t.Run("a delayed duplicate changes nothing", delayedReplaceChangesNothing)
	t.Run("a version that another process writes meanwhile stays", replaceMeetsOther)
	t.Run("a write that the client library sends twice succeeds", selfConflictOfReplace)
}

// The first mark of a copy arrives once more after the copy has ended.
func delayedReplaceChangesNothing(t *testing.T) {
	db := empty(t)
	ok(t, storage.New(db, storage.Options{HashPassword: drivertest.CheapHash}).Operator.Prepare(t.Context()))
	var delayed func() error
	held := driver.Wrap(db, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		if c.Method == driver.CallTransact {
			again := *c
			delayed = func() error { return db.Do(ctx, &again) }
		}
		return next(ctx)
	})
	ok(t, version.Replace(t.Context(), held, version.Unfinished))
	ok(t, version.Replace(t.Context(), db, schema.CurrentVersion))
	if err := delayed(); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("the duplicate ended with %v", err)
	}
	ok(t, version.Check(t.Context(), db))
}

// A role makes the store while a copy is about to mark it.
func replaceMeetsOther(t *testing.T) {
	db := empty(t)
	role := storage.New(db, storage.Options{HashPassword: drivertest.CheapHash})
	ok(t, role.Operator.CreateTables(t.Context()))
	copying := drivertest.NewFaults(db, drivertest.Only(drivertest.Writes, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		ok(t, role.Operator.Prepare(t.Context()))
		return send(ctx)
	}))
	err := version.Replace(t.Context(), copying, version.Unfinished)
	if refused := version.Check(t.Context(), db); !errors.Is(err, domain.ErrExists) || refused != nil {
		t.Errorf("it ends with %v, and then the store is refused with %v", err, refused)
	}
}

func selfConflictOfReplace(t *testing.T) {
	db := empty(t)
	ok(t, storage.New(db, storage.Options{HashPassword: drivertest.CheapHash}).Operator.CreateTables(t.Context()))
	for _, to := range []string{version.Unfinished, schema.CurrentVersion} { // the first, and another
		twice := drivertest.NewFaults(db, drivertest.Only(drivertest.Writes, drivertest.SentTwice(1)))
		if err := version.Replace(t.Context(), twice, to); err != nil {
			t.Errorf("%s: %v", to, err)
		}
	}
	ok(t, version.Check(t.Context(), db))
}
