package web_test

import "testing"

func TestUserPage(t *testing.T) {
	t.Run("a changed password ends every other session", changedPasswordEndsEveryOtherSession)
}

func changedPasswordEndsEveryOtherSession(t *testing.T) {
	s := newSite(t)
	mine, other := s.signedIn("ada"), s.again("ada")
	form := mine.open("/account").want(200).form("Change password").fill("old", password).fill("new", "another good password")
	form.press().at("/account").says("Your password is changed.")
	mine.open("/account").want(200).saysNot("Your password is changed.")
	other.open("/account").want(401).form("Sign in").fill("name", "ada").fill("password", "another good password").
		press().at("/account")
	for _, test := range []struct{ old, new, field, detail string }{
		{"not the password", "yet another password", "old", "is not your password"},
		{"another good password", "short", "new", "10 to 256"},
		{"another good password", "1234567890", "new", "one of the commonest"},
		{"another good password", "\xff123456789", "new", "not valid UTF-8"},
	} {
		p := mine.open("/account").form("Change password").fill("old", test.old).fill("new", test.new).press().
			want(422).complains(test.field, test.detail)
		if values := p.form("Change password").values; values.Get("old")+values.Get("new") != "" {
			t.Errorf("passwords are sent back: %v", values)
		}
	}
	mine.open("/account").form("End all sessions").press().at("/sign-in").says("All your sessions have ended.")
	if len(mine.jar) != 0 {
		t.Errorf("cookies are left: %v", mine.jar)
	}
	mine.open("/account").want(401)
	other.open("/account").want(401)
}
