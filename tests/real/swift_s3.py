"""OpenStack Swift on 127.0.0.1 in one process, as an S3 server; see s3.sh.

usage: swift_s3.py FOLDER PORT ACCESS_KEY REGION      with the secret in S3_SECRET

The account, container, object and proxy servers and the S3 layer are Swift's own, started as its documentation says. Three
things differ because this is a test: access keys lack Swift's "account:user"; requests may lack a signature, which Swift
would look for under another address than Amazon does; and there is one copy of each object (see open_again). Nothing is
cached between requests, and nothing waits for the disk.
"""
import os
import sys

import eventlet
from eventlet import wsgi

folder, port, access_key, region = sys.argv[1:]
secret = os.environ.pop('S3_SECRET')
os.environ['TZ'] = 'UTC+0'
os.fsync = os.fdatasync = lambda _: None

FILTERS = ['catch_errors', 'gatekeeper', 'healthcheck', 'listing_formats', 'bulk', 's3api', 'tempauth', 'copy', 'slo', 'dlo',
           'versioned_writes', 'symlink']
SETTINGS = {
    's3api': f'location = {region}\nstorage_domain = localhost\ndns_compliant_bucket_names = true\nmin_segment_size = 1',
    'tempauth': f'user_test_tester = {secret} .admin',
}


def configure():
    with open(os.path.join(folder, 'swift.conf'), 'w', encoding='utf-8') as file:
        file.write('[swift-hash]\nswift_hash_path_suffix = tests\n'
                   '[storage-policy:0]\nname = only\ndefault = yes\npolicy_type = replication\n')
    with open(os.path.join(folder, 'proxy-server.conf'), 'w', encoding='utf-8', opener=private) as file:
        file.write(f'[DEFAULT]\nswift_dir = {folder}\n[pipeline:main]\npipeline = {" ".join(FILTERS)} proxy-server\n'
                   '[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\nallow_account_management = true\n'
                   'recheck_account_existence = 0\nrecheck_container_existence = 0\n')
        for name in FILTERS:
            file.write(f'[filter:{name}]\nuse = egg:swift#{name}\n{SETTINGS.get(name, "")}\n')


def private(path, flags):
    return os.open(path, flags, 0o600)


class Nothing:
    """A cache that forgets."""

    def get(self, *_, **__):
        return None

    def get_multi(self, keys, *_, **__):
        return [None for _ in keys]

    def set(self, *_, **__):
        pass

    set_multi = delete = set

    def incr(self, *_, **__):
        return 1

    decr = incr


class Door:
    def __init__(self, inside):
        self.inside = inside

    def __call__(self, env, start_response):
        env['swift.cache'] = Nothing()
        if 'HTTP_AUTHORIZATION' in env or 'X-Amz-' in env.get('QUERY_STRING', ''):
            return self.inside(env, start_response)
        host = env.get('HTTP_HOST', '').partition(':')[0]
        bucket = '/' + host.removesuffix('.localhost') if host.endswith('.localhost') else ''
        env['PATH_INFO'] = '/v1/AUTH_test' + bucket + env['PATH_INFO']
        refused = []

        def start(status, headers, exc_info=None):
            if status.startswith('401'):
                refused.append(status)
                return start_response('403 Forbidden', [('content-type', 'application/xml')])
            return start_response(status, headers, exc_info)

        body = self.inside(env, start)
        if not refused:
            return body
        if hasattr(body, 'close'):
            body.close()
        return [b'<Error><Code>AccessDenied</Code></Error>']


def main():
    os.makedirs(os.path.join(folder, 'devices', 'disk'), exist_ok=True)
    configure()

    from swift.common import utils
    utils.set_swift_dir(folder)
    from swift.common import constraints, storage_policy
    constraints.reload_constraints()
    storage_policy.reload_storage_policies()
    utils.eventlet_monkey_patch()

    from swift.account.server import AccountController
    from swift.common.middleware.tempauth import TempAuth
    from swift.common.ring import RingBuilder
    from swift.common.utils import NullLogger
    from swift.common.wsgi import SwiftHttpProtocol, loadapp
    from swift.container.server import ContainerController
    from swift.common.exceptions import DiskFileNotExist
    from swift.obj.diskfile import DiskFile
    from swift.obj.server import ObjectController

    # Swift lists an object's folder and then opens the newest file. If a replacement removes that file in between, the object
    # server answers 404 and the proxy asks for another copy. There is none here, so the same copy is asked again.
    open_once = DiskFile.open

    def open_again(self, *args, **kwargs):
        for _ in range(3):
            try:
                return open_once(self, *args, **kwargs)
            except DiskFileNotExist:
                pass
        return open_once(self, *args, **kwargs)

    DiskFile.open = open_again

    def serve(socket, application):
        wsgi.server(socket, application, NullLogger(), protocol=SwiftHttpProtocol, socket_timeout=60,
                    custom_pool=eventlet.GreenPool(1000), capitalize_response_headers=False)

    make = TempAuth.__init__

    def make_with_key(self, app, conf):
        make(self, app, conf)
        self.users[access_key] = dict(self.users['test:tester'], url='$HOST/v1/AUTH_test')

    TempAuth.__init__ = make_with_key

    outside = eventlet.listen(('127.0.0.1', int(port)), backlog=1024)
    inner = {'devices': os.path.join(folder, 'devices'), 'swift_dir': folder, 'mount_check': 'false',
             'disable_fallocate': 'true', 'allowed_sync_hosts': '127.0.0.1'}
    for name, server in (('account', AccountController), ('container', ContainerController), ('object', ObjectController)):
        socket = eventlet.listen(('127.0.0.1', 0))
        address = {'ip': '127.0.0.1', 'port': socket.getsockname()[1]}
        ring = RingBuilder(1, 1, 1)
        ring.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1.0, 'device': 'disk', 'meta': '',
                      **address, **{'replication_' + key: value for key, value in address.items()}})
        ring.rebalance()
        ring.get_ring().save(os.path.join(folder, name + '.ring.gz'))
        eventlet.spawn(serve, socket, server(dict(inner)))
    serve(outside, Door(loadapp(os.path.join(folder, 'proxy-server.conf'), global_conf={'log_name': 'swift'})))


main()
