"""Everyday shapes in which secrets stand, and carriers around them; every value is made at run time.

Listed from what people type, before the rules for it were written. Every third is held out: no rule was written or
changed by what became of it, so that its share says how far the rules reach.
"""

import random
import string

WORDS = "harbor tulip copper meadow falcon ember willow cobalt maple saddle pepper violet comet anchor basil".split()
BIP39 = (
    "abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid "
    "acoustic acquire across act action actor actress actual adapt add addict address adjust admit adult advance "
    "advice aerobic affair afford afraid again age agent agree ahead aim air airport aisle alarm album alcohol"
).split()
ALNUM = string.ascii_letters + string.digits
HEX = string.digits + "abcdef"


def pick(chance: random.Random, alphabet: str, count: int) -> str:
    return "".join(chance.choice(alphabet) for _ in range(count))


def value(kind: str, chance: random.Random) -> str:
    """A fake secret: `p` a password, `w` a weak one, `t` a long token, `h` hex, `k` 40 characters, `d` a short code."""
    if kind == "p":
        return pick(chance, string.ascii_letters, 7) + pick(chance, "!#%+*?", 1) + pick(chance, string.digits, 2) + "k"
    if kind == "w":
        return chance.choice(WORDS) + pick(chance, string.digits, 4)
    if kind == "t":
        return pick(chance, ALNUM, 30) + "a7Q"
    if kind == "h":
        return pick(chance, HEX, 32)
    if kind == "k":
        return pick(chance, ALNUM + "/+", 38) + "a7"
    if kind == "b":
        return pick(chance, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32)
    if kind == "s":
        return " ".join(chance.choice(BIP39) for _ in range(12))
    if kind == "i":
        return chance.choice("KL") + pick(chance, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 51)
    if kind == "x":
        return pick(chance, HEX, 64)
    return pick(chance, string.digits, 6)


# A letter for the value's kind, then the line, `@@` where the value stands.
SHAPES: tuple[tuple[str, str, str], ...] = tuple(
    (group, line[0], line[2:].replace("\\n", "\n"))
    for group, lines in {
        "env": r"""
t STRIPE_KEY=@@
h SECRET_KEY_BASE=@@
p SMTP_PASS=@@
w DB_PASS=@@
p MYSQL_ROOT_PASSWORD=@@
t JWT_SECRET=@@
h ENCRYPTION_KEY="@@"
w export ADMIN_PW=@@
t export SESSION_SECRET='@@'
p set -x DB_PASSWORD @@
t set -gx API_TOKEN @@
t $env:MAPS_API_KEY = "@@"
p setx SMTP_PASSWORD "@@"
w set FTP_PASS=@@
t ENV AUTH_TOKEN @@
p ENV DATABASE_PASSWORD=@@
t docker run -e WEATHER_KEY=@@ -p 80:80 app
p docker run --env POSTGRES_PASSWORD=@@ postgres:16
t       - MAILER_KEY=@@
p Environment=REDIS_PASS=@@
k APP_KEY=base64:@@=
h TWILIO_AUTH=@@
t SENTRY_AUTH=@@
p BASIC_AUTH_PASS='@@'
t DEPLOY_CREDENTIAL=@@
h MINIO_ACCESS=@@
k MINIO_SECRET=@@
w VNC_PW=@@
t SIGNING_KEY=@@
t PUSHER_APP_SECRET=@@
""",
        "config": r"""
p   password: @@
t   api_token: @@
w   pass: @@
p "pass": "@@",
w "pw": "@@"
t "apiKey": "@@",
t "clientSecret" : "@@"
t 'access_key': '@@',
p spring.datasource.password=@@
p password = @@
w <password>@@</password>
t <add key="ApiKey" value="@@" />
p <property name="password" value="@@"/>
p <Password xsi:type="xsd:string">@@</Password>
p   default = "@@"  # variable "db_password"
p variable "admin_password" { default = "@@" }
t api_key = "@@"
p define('DB_PASSWORD', '@@');
t define('AUTH_KEY', '@@');
p #define WIFI_PASSWORD "@@"
t #define API_KEY "@@"
p psk="@@"
p wpa-psk @@
p Server=db;Database=app;User Id=sa;Password=@@;
p jdbc:mysql://db/app?user=root&password=@@
p Driver={SQL Server};Server=db;UID=sa;PWD=@@
p root:@@@tcp(db:3306)/app
w storePassword '@@'
w keyPassword = "@@"
p ansible_become_pass: @@
p ansible_ssh_pass=@@
t - name: API_TOKEN\n  value: @@
t "name": "API_TOKEN", "value": "@@"
p - name: DB_PASSWORD\n  value: "@@"
p db_pass = '@@'
t token = "@@"
h secret_key: @@
p "db": {"user": "app", "password": "@@"}
t const TOKEN = "@@";
t private static final String API_SECRET = "@@";
p val password = "@@"
t let apiKey = '@@'
p os.environ["DB_PASS"] = "@@"
t ENV['MAILER_SECRET'] = '@@'
p requirepass @@
p SASL_PASSWORD: @@
w rpcpassword=@@
t hmac_key: @@
p masterauth @@
h integration_key: @@
""",
        "command": r"""
p mysql -u root -p@@ app
w mysqldump -h db -uroot -p@@ app > dump.sql
p PGPASSWORD=@@ psql -h db app
p redis-cli -h cache -a @@ ping
w redis-cli -a '@@' info
p docker login -u me -p @@ registry.example.com
p docker login --username me --password @@
p helm registry login -u me -p @@ registry.example.com
p az login -u me@corp.test -p @@
k aws configure set aws_secret_access_key @@
t gh secret set DEPLOY_TOKEN --body @@
t gh secret set NPM_TOKEN -b "@@"
t echo @@ | docker login -u me --password-stdin
p htpasswd -bc .htpasswd me @@
p machine api.example.com login me password @@
p db.example.com:5432:app:me:@@
p openssl enc -aes-256-cbc -k @@ -in a
p openssl rsa -in key.pem -passin pass:@@
w zip -P @@ out.zip a
w 7z a -p@@ out.7z a
w unzip -P @@ out.zip
p gpg --batch --passphrase @@ -d a.gpg
p ssh-keygen -t ed25519 -N "@@" -f id
p wget --user=me --password=@@ https://example.com/a
p wget --http-password=@@ https://example.com/a
p curl -u me:@@ https://example.com
p http -a me:@@ example.com
p mongosh -u me -p @@ mongodb.example.com
p mongodump --username me --password @@
p sqlcmd -S db -U sa -P @@
p sqlplus scott/@@@orcl
p smbclient //nas/share -U me%@@
p kubectl create secret generic db --from-literal=password=@@
t kubectl create secret generic db --from-literal=api-token=@@
p vault kv put secret/app password=@@
t heroku config:set MAILER_TOKEN=@@
t fly secrets set SESSION_KEY=@@
t npm config set //npm.example.com/:_authToken @@
p pip install --index-url https://me:@@@pypi.example.com/simple x
p git clone https://me:@@@git.example.com/a.git
p twine upload -u me -p @@ dist/*
t poetry config pypi-token.internal @@
t cargo login @@
p echo "me:@@" | chpasswd
p net user me @@ /add
p security add-generic-password -a me -s app -w @@
p ldapsearch -x -D cn=admin -w @@ -b dc=x
p rabbitmqctl add_user me @@
p cqlsh -u me -p @@ db
p clickhouse-client --user me --password @@
p echo @@ | sudo -S apt update
p sudo -S apt update <<< @@
p sshpass -p '@@' ssh me@host
p nmcli dev wifi connect home password @@
p nmcli con modify home wifi-sec.psk @@
p mosquitto_pub -u me -P @@ -t a -m b
p helm install app . --set db.password=@@
t helm upgrade app . --set-string auth.token=@@
p keytool -genkey -storepass @@ -alias a
p net use z: \\box\share @@ /user:me
t vercel env add MAIL_KEY production <<< @@
p lftp -u me,@@ ftp.example.com
p rclone config create r webdav pass @@
p expect -c 'spawn ssh h; expect "password:"; send "@@\r"'
""",
        "sql": r"""
p CREATE USER app WITH PASSWORD '@@';
w create user app identified by '@@';
p ALTER ROLE app PASSWORD '@@';
p ALTER USER 'root'@'localhost' IDENTIFIED BY '@@';
p SET PASSWORD FOR 'app'@'%' = '@@';
p CREATE LOGIN app WITH PASSWORD = N'@@';
p GRANT ALL ON *.* TO 'app'@'%' IDENTIFIED BY "@@";
p CREATE ROLE app LOGIN ENCRYPTED PASSWORD '@@'
p ALTER USER app IDENTIFIED WITH mysql_native_password BY '@@';
""",
        "http": r"""
t Cookie: sessionid=@@; theme=dark
t Set-Cookie: connect.sid=@@; Path=/; HttpOnly
t Cookie: lang=de; PHPSESSID=@@
t curl -b "session=@@" https://example.com
t curl --cookie 'auth=@@' https://example.com
t https://api.example.com/v1/x?api_key=@@
t https://maps.example.com/js?key=@@&v=3
t GET /v1/me?access_token=@@ HTTP/1.1
t https://example.com/cb?token=@@&state=1
t https://example.com/hook?secret=@@
t X-Auth-Token: @@
t Private-Token: @@
h X-Api-Key: @@
t curl -H 'X-Vault-Token: @@' https://v
t curl -H "apikey: @@" https://x
t Authorization: Bearer @@
t Proxy-Authorization: Basic @@=
t -d 'grant_type=password&client_secret=@@&x=1'
p -d 'user=me&password=@@'
p curl -d '{"user":"me","password":"@@"}' https://x
t "refresh_token": "@@"
t "id_token":"@@"
h https://@@@o12345.ingest.sentry.io/678
h https://example.com/reset?reset_token=@@
t x-amz-security-token: @@
t headers={"X-Secret": "@@"}
t "set-cookie": "sid=@@; Secure"
""",
        "prose": r"""
p The password is @@ for now.
p My password: @@
w the db password is @@
p Use @@ as the password.
p password for the admin user is `@@`
p log in with admin / @@
p credentials: admin:@@
t The API key is @@.
t here is my token: @@
t our secret key is "@@"
t my access token is @@, please try it
w pw: @@
w pass is @@
w the passphrase is @@
p username is root and password is @@
p I changed the root password to @@
t you can use this key @@ for the staging API
d the OTP is @@
d Your verification code is @@
d PIN: @@
p the wifi password is @@
t The webhook secret changed to @@ yesterday
p Login: me@corp.test Password: @@
p user me, password @@
p (pw @@)
t token @@ expires tomorrow
h api key @@ is the old one
s seed phrase: @@
s my recovery phrase is @@
i the WIF is @@
i bitcoin private key @@
x private key 0x@@ of the test wallet
""",
        "german": r"""
p Das Passwort ist @@.
p Passwort: @@
w das Passwort lautet @@
p Kennwort: @@
p Das Kennwort für die Datenbank ist @@
p melde dich mit dem Passwort @@ an
p Zugangsdaten: admin / @@
t Der API-Schlüssel ist @@
t der Schlüssel lautet @@
t Mein Token ist @@
p Benutzer root, Passwort @@
w Benutzername: admin, Passwort: @@
p ich habe das Passwort auf @@ geändert
p WLAN-Passwort: @@
d Die PIN ist @@
d Der Bestätigungscode lautet @@
t Geheimer Schlüssel: @@
t das Geheimnis ist @@
p nimm @@ als Passwort
""",
        "table and log": r"""
p | password | @@ |
t | API key | `@@` |
p admin	password	@@
p 10:02:11 DEBUG connecting with password=@@ host=db
t level=info msg="login" token=@@
p [debug] auth: user=me pass=@@
t ERROR invalid api key: @@
t WARN rejected token '@@' from 10.0.0.1
p params: {:user=>"me", :password=>"@@"}
p Parameters: {"email"=>"a", "password"=>"@@"}
t otpauth://totp/app:me?secret=@@&issuer=app
b otpauth://totp/app:me?secret=@@
p .pgpass: localhost:*:*:postgres:@@
p me:{PLAIN}@@
t -AUTH_SECRET=@@
t +  secretKey: "@@",
p -    password: "@@"
t >>> client = Client(api_key="@@")
p >>> connect(user="me", passwd="@@")
t client = Client(token='@@')
p login("me", password="@@")
t AuthToken(@@)
""",
    }.items()
    for line in lines.strip("\n").split("\n")
    if line[1:2] == " "
)

CARRIERS = (
    "{}", "before\n{}\nafter", "```\n{}\n```", "+{}", "> {}", "$ {}", "  {}", "{}  # for now",
)  # fmt: skip
"""What stands around a line."""
