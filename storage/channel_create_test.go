package storage_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestChannelCreate(t *testing.T) {
	t.Run("name of a channel that lost its gate is taken, and its rows wait for a repair", lostGateKeepsName)
	t.Run("channel is read as it was made", channelIsReadAsMade)
	t.Run("name is taken in any spelling", nameIsTakenInAnySpelling)
	t.Run("name is taken until its deletion has ended", nameIsTakenUntilDeleted)
	t.Run("fault leaves a whole channel or none", createFaultLeavesWholeOrNone)
	t.Run("creator that dies leaves a whole channel or none", deadCreatorLeavesWholeOrNone)
	t.Run("late request of its own does not defeat a creator", ownLateRequestWithinCreation)
	t.Run("late request of its own does not undo a creator that started over", ownLateRequestAfterStartingOver)
	t.Run("late request makes no channel", lateCreateMakesNoChannel)
	t.Run("two creators of one name get one channel", twoCreatorsGetOneChannel)
	t.Run("creation succeeds whatever happens to its name meanwhile", createSucceedsWhateverHappensToName)
	t.Run("one of many creators wins", oneOfManyCreatorsWins)
}

func channelIsReadAsMade(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel, err := domain.NewChannel("Café.Straße-9", " two\r\nlines ", ada)
		w.ok(err)
		made, err := w.store.CreateChannel(t.Context(), channel)
		w.ok(err)
		read, err := w.store.Channel(t.Context(), channel.Key())
		if err != nil || read != made || made != channel {
			t.Errorf("asked for %+v, made %+v, read %+v (%v)", channel, made, read, err)
		}
		if read.Description != "two\nlines" || read.Owner != ada || read.State != domain.ChannelActive {
			t.Errorf("read %+v", read)
		}
		w.mustBeSound()
	})
}

func nameIsTakenInAnySpelling(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.create("Café-Straße", ada)
		for _, name := range []string{"Café-Straße", "CAFÉ-STRASSE", "cafe\u0301-strasse", "Cafe\u0301-stra\u1e9ee"} {
			_, err := w.store.CreateChannel(t.Context(), w.channel(name, grace))
			if !errors.Is(err, domain.ErrExists) || errors.Is(err, domain.ErrStillDeleting) {
				t.Errorf("creating %q: %v, want ErrExists", name, err)
			}
		}
		w.create("Cafe-Strasse", grace) // another name: accents are not case
		w.mustBeSound()
	})
}

func nameIsTakenUntilDeleted(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		first := w.create("garden", ada)
		for i, step := range cascade(w.store, first.Ref()) {
			w.ok(step(t.Context()))
			if i == 4 {
				break
			}
			if _, err := w.store.CreateChannel(t.Context(), w.channel("garden", ada)); !errors.Is(err, domain.ErrStillDeleting) {
				t.Errorf("creating after step %d: %v, want ErrStillDeleting", i+1, err)
			}
		}
		if again := w.create("garden", ada); again.Incarnation == first.Incarnation {
			t.Error("an incarnation has returned")
		}
		w.mustBeSound()
	})
}

// mustBeWhole checks a creation whose creator was told err. After a success, the
// channel is there as the creator was told. Whatever was told, a channel that is
// there accepts a post, and the store is sound.
func (w *world) mustBeWhole(made domain.Channel, err error) {
	w.t.Helper()
	w.reconcile()
	read, readErr := w.store.Channel(w.t.Context(), made.Key())
	switch {
	case err == nil && (readErr != nil || read != made):
		w.t.Errorf("created %+v, and there is %+v, %v", made, read, readErr)
	case errors.Is(readErr, domain.ErrNotFound):
	case readErr != nil:
		w.t.Error(readErr)
	default:
		w.post(read, grace, "first")
	}
	w.mustBeSound()
}

// Nobody else wants the name, so that the creator is never told that it is taken.
func createFaultLeavesWholeOrNone(t *testing.T) {
	eachFault(t, func(w *world) {
		made, err := w.faulty.CreateChannel(w.t.Context(), w.channel("garden", ada))
		if err != nil && !errors.Is(err, domain.ErrUnavailable) {
			w.t.Errorf("creating: %v", err)
		}
		w.mustBeWhole(made, err)
		if _, err := w.store.Channel(w.t.Context(), made.Key()); errors.Is(err, domain.ErrNotFound) {
			w.create("garden", eve)
		}
	})
}

func deadCreatorLeavesWholeOrNone(t *testing.T) {
	for _, fault := range callFaults {
		eachCall(t, fault.name+", and then its sender dies", func(w *world, n int) {
			w.arm(deadAfter(n, fault.at(n)))
			made, err := w.faulty.CreateChannel(w.t.Context(), w.channel("garden", ada))
			w.mustBeWhole(made, err)
		})
	}
}

// callsOfACreation is the largest number of calls that a creation makes, even with a
// fault.
const callsOfACreation = 16

// A request of the creation is delivered late, while the creation still goes on.
func ownLateRequestWithinCreation(t *testing.T) {
	for arrival := 2; arrival <= callsOfACreation; arrival++ {
		t.Run(fmt.Sprintf("before call %d", arrival), func(t *testing.T) {
			for _, first := range lateDeliveries {
				eachCall(t, first.name, func(w *world, n int) {
					hook, late := drivertest.ResentLater(n, first.at(n))
					w.arm(chain(before(arrival, func() { w.arrive(late) }), hook))
					made, err := w.faulty.CreateChannel(w.t.Context(), w.channel("garden", ada))
					if err != nil && !errors.Is(err, domain.ErrUnavailable) {
						w.t.Errorf("creating: %v", err)
					}
					w.mustBeWhole(made, err)
				})
			}
		})
	}
}

// One call never arrives, so that the creator starts over. Another is delivered once
// more after the channel was made.
func ownLateRequestAfterStartingOver(t *testing.T) {
	for lost := 1; lost <= callsOfACreation; lost++ {
		t.Run(fmt.Sprintf("call %d is lost", lost), func(t *testing.T) {
			eachCall(t, "arrives once more", func(w *world, n int) {
				hook, late := drivertest.ResentLater(n, drivertest.FailBefore(lost))
				w.arm(hook)
				made, err := w.faulty.CreateChannel(w.t.Context(), w.channel("garden", ada))
				w.arrive(late)
				w.mustBeWhole(made, err)
			})
		})
	}
}

// A request of the creation is delivered late, after the channel was created and
// deleted, and with or without a next incarnation.
func lateCreateMakesNoChannel(t *testing.T) {
	for _, another := range []bool{false, true} {
		t.Run(fmt.Sprintf("another incarnation %v", another), func(t *testing.T) {
			eachLateDelivery(t, func(w *world, late *drivertest.Straggler) {
				made, err := w.faulty.CreateChannel(w.t.Context(), w.channel("garden", ada))
				if err != nil {
					made, err = w.store.CreateChannel(w.t.Context(), w.channel("garden", ada))
					if errors.Is(err, domain.ErrExists) { // the first try took effect
						made, err = w.store.Channel(w.t.Context(), "garden")
					}
					w.ok(err)
				}
				w.post(made, grace, "earlier")
				w.delete(made)
				if another {
					w.advance(made, stages)
				}
				w.arrive(late)
				if !another { // nor does it take the name from anybody
					theirs := w.create("garden", eve)
					w.mustBeSound()
					w.delete(theirs)
				}
				w.mustKeepTheNextLoosely(made, another)
			})
		})
	}
}

// Another user creates the same name between any two calls of the first creator. One
// of those calls may have a fault too.
func twoCreatorsGetOneChannel(t *testing.T) {
	faults := append([]fault{{"passes", func(int) drivertest.Hook { return drivertest.Pass }}}, callFaults...)
	for arrival := 1; arrival <= callsOfACreation; arrival++ {
		t.Run(fmt.Sprintf("the other comes before call %d", arrival), func(t *testing.T) {
			for _, fault := range faults {
				eachCall(t, fault.name, func(w *world, n int) {
					var theirs domain.Channel
					var theirErr error
					other := func() { theirs, theirErr = w.store.CreateChannel(w.t.Context(), w.channel("garden", eve)) }
					w.arm(chain(before(arrival, other), fault.at(n)))
					mine, err := w.faulty.CreateChannel(w.t.Context(), w.channel("garden", ada))
					if int(w.calls.Load()) < arrival {
						other()
					}
					w.mustHaveOneOwner(mine, err, theirs, theirErr)
				})
			}
		})
	}
}

// mustHaveOneOwner checks what two creators of one name were told, against the
// channel that is there.
func (w *world) mustHaveOneOwner(mine domain.Channel, err error, theirs domain.Channel, theirErr error) {
	w.t.Helper()
	if err == nil && theirErr == nil {
		w.t.Error("both creators were told that they have the channel")
	}
	w.reconcile()
	read, readErr := w.store.Channel(w.t.Context(), "garden")
	if readErr != nil && !errors.Is(readErr, domain.ErrNotFound) {
		w.t.Error(readErr)
	}
	for _, told := range []struct {
		err  error
		made domain.Channel
	}{{err, mine}, {theirErr, theirs}} {
		switch {
		case told.err == nil && read != told.made:
			w.t.Errorf("%s was told that the channel is made, and there is %+v, %v", told.made.Owner, read, readErr)
		case errors.Is(told.err, domain.ErrExists) && (readErr != nil || read.Owner == told.made.Owner):
			w.t.Errorf("%s was told that the name is taken, and there is %+v, %v", told.made.Owner, read, readErr)
		case told.err != nil && !errors.Is(told.err, domain.ErrExists) && !errors.Is(told.err, domain.ErrUnavailable):
			w.t.Errorf("%s was told %v", told.made.Owner, told.err)
		}
	}
	w.mustBeSound()
}

// Others use the name, or delete what the creation has made so far, between any two
// calls of the creator.
func createSucceedsWhateverHappensToName(t *testing.T) {
	// complete reports that the deleted channel was created whole, up to the owner's
	// subscription. Then the creation need not bring it back.
	var complete bool
	works := map[string]func(w *world){
		"another creation and deletion": func(w *world) {
			if theirs, err := w.store.CreateChannel(w.t.Context(), w.channel("garden", eve)); err == nil {
				w.post(theirs, eve, "text")
				w.delete(theirs)
			}
		},
		"its own deletion": func(w *world) {
			if own, err := w.store.Channel(w.t.Context(), "garden"); err == nil {
				complete = w.has("garden", "sub!"+string(ada))
				w.delete(own)
			}
		},
		"the reconciling pass": func(w *world) { w.reconcile() },
		"a repair": func(w *world) {
			_, err := w.store.NewChecker(0, true, func(domain.Breach) {}).Run(w.t.Context())
			w.ok(err)
		},
	}
	for name, work := range works {
		eachCall(t, "comes after "+name, func(w *world, n int) {
			complete = false
			w.arm(before(n, func() { work(w) }))
			made, err := w.faulty.CreateChannel(w.t.Context(), w.channel("garden", ada))
			w.ok(err)
			if complete {
				w.mustBeSound()
				return
			}
			w.mustBeWhole(made, err)
		})
	}
}

func oneOfManyCreatorsWins(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var winners []domain.Channel
	atOnce(32, func(i int) {
		made, err := w.store.CreateChannel(t.Context(), w.channel("Garden", domain.UserName(fmt.Sprintf("user%d", i))))
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			winners = append(winners, made)
		case !errors.Is(err, domain.ErrExists) || errors.Is(err, domain.ErrStillDeleting):
			t.Errorf("creator %d: %v", i, err)
		}
	})
	if len(winners) != 1 {
		t.Fatalf("%d creators won: %+v", len(winners), winners)
	}
	read, err := w.store.Channel(t.Context(), "garden")
	if err != nil || read != winners[0] {
		t.Errorf("the winner made %+v, and there is %+v, %v", winners[0], read, err)
	}
	var left []string
	for _, row := range w.rows("Blogs") {
		left = append(left, row.Row)
	}
	if !slices.Equal(left, []string{openGateRow(read.Incarnation), "sub!" + string(read.Owner)}) {
		t.Errorf("the partition holds %s, want the winner's gate and subscription alone", strings.Join(left, ", "))
	}
}

func lostGateKeepsName(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		channel := w.create("garden", ada)
		w.post(channel, grace, "one")
		w.loseGate(channel)
		if _, err := w.store.CreateChannel(t.Context(), w.channel("garden", eve)); !errors.Is(err, domain.ErrExists) {
			t.Errorf("who wants the name is told %v", err)
		}
		if w.run(true); !slices.Equal(w.texts(channel.Ref()), []string{"one"}) {
			t.Errorf("after a repair, the channel has %q", w.texts(channel.Ref()))
		}
		w.mustBeSound()
	})
}
