package storetest

import (
	"fmt"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// DescribedAs returns the change of a channel that gives it this description.
func DescribedAs(description string) func(*domain.About) error {
	return func(about *domain.About) error {
		about.Description = description
		return nil
	}
}

// Follow makes grace subscribe to many channels, each with a post, by writing the rows
// alone. It returns the texts, the newest first.
func (w *World) Follow(channels int) (texts []string) {
	w.T.Helper()
	var subscriptions []driver.Operation
	first := domain.Now()
	for i := range channels {
		channel := w.NewChannel(fmt.Sprintf("channel%04d", i), Ada)
		on := first.Add(time.Duration(i*7919%channels) * time.Second)
		key, id, made := string(channel.Key()), domain.NewBlogID(on), driver.String("Incarnation", channel.Incarnation)
		w.OK(w.Table("Channels").Transact(w.T.Context(), key, driver.Insert("",
			driver.String("Name", channel.Name), driver.String("Owner", Ada), made, driver.String("State", domain.ChannelActive))))
		w.OK(w.Table("Blogs").Transact(w.T.Context(), key,
			driver.Insert("blog!"+string(id), driver.String("Text", fmt.Sprint(on.Unix())), driver.Time("CreatedOn", on), made),
			driver.Insert("sub!"+string(Grace), made)))
		subscriptions = append(subscriptions, driver.Insert(key+"!"+string(channel.Incarnation),
			driver.String("Name", channel.Name), driver.String("State", "joined"), driver.String("Role", "reader")))
		texts = append(texts, fmt.Sprint(on.Unix()))
	}
	for some := range slices.Chunk(subscriptions, 100) {
		w.OK(w.Table("Subscriptions").Transact(w.T.Context(), string(Grace), some...))
	}
	slices.Sort(texts)
	slices.Reverse(texts)
	return texts
}

// ReadChannel reads an active channel.
func (w *World) ReadChannel(key domain.ChannelKey) domain.Channel {
	w.T.Helper()
	channel, err := w.Store.Channels.Get(w.T.Context(), key.Address())
	w.OK(err)
	return channel
}
