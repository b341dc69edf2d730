package storage_test

import (
	"errors"
	"testing"

	"microblogging/domain"
)

func TestChannelDescribe(t *testing.T) {
	t.Run("only the owner may", bubble(onlyOwnerDescribes))
}

func onlyOwnerDescribes(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	ref := channel.Ref()
	if _, err := w.store.Describe(t.Context(), ref, grace, describedAs("mine")); !errors.Is(err, domain.ErrForbidden) {
		t.Errorf("described by another: %v", err)
	}
	var invalid *domain.InvalidError
	if _, err := w.store.Describe(t.Context(), ref, ada, describedAs("a\x00b")); !errors.As(err, &invalid) {
		t.Errorf("described badly: %v", err)
	}
	want := channel
	want.Description = "one\ntwo"
	got, err := w.store.Describe(t.Context(), ref, ada, describedAs(" one\r\ntwo "))
	read, readErr := w.store.Channel(t.Context(), ref.Key)
	if err != nil || readErr != nil || got != want || read != want {
		t.Errorf("described as %+v, %v, and read as %+v, %v", got, err, read, readErr)
	}
	other := ref
	other.Incarnation = domain.NewIncarnation()
	if _, err := w.store.Describe(t.Context(), other, ada, describedAs("x")); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("describing another incarnation: %v", err)
	}
	_, err = w.store.MarkDeleting(t.Context(), ref)
	w.ok(err)
	if _, err := w.store.Describe(t.Context(), ref, ada, describedAs("x")); !errors.Is(err, domain.ErrGone) {
		t.Errorf("describing a channel being deleted: %v", err)
	}
}

// describedAs is the change to a description.
func describedAs(description string) func(*domain.About) error {
	return func(about *domain.About) error {
		about.Description = description
		return nil
	}
}
